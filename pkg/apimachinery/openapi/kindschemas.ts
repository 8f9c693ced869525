/** Component schemas of a kind and of its list. */
import { membersOf } from '../encoding/members.js';
import type { ResourceDefinition } from '../../../api/resource.js';
import { LIST_META, OBJECT_META, TYPE_META } from './metaschemas.js';
import { componentName } from './names.js';
import {
  describedReference,
  metaReference,
  openapiSchema,
  reference,
  type Components,
  type OpenapiSchema,
} from './schema.js';

/** A reference to the kind's component, which this function adds. */
export function kindReference(definition: ResourceDefinition, into: Components): OpenapiSchema {
  return reference(componentName(definition), () => kindSchema(definition, into), into);
}

/** A reference to the component of the kind's list. */
export function listReference(definition: ResourceDefinition, into: Components): OpenapiSchema {
  return reference(`${componentName(definition)}List`, () => listSchema(definition, into), into);
}

function kindSchema(definition: ResourceDefinition, into: Components): OpenapiSchema {
  const { properties, ...own } = openapiSchema({ ...definition.schema }, into);
  const metadata = describedReference(
    metaReference(OBJECT_META, into),
    { description: "Standard object's metadata.", default: {} },
    into,
  );
  return {
    ...own,
    type: 'object',
    description: definition.description,
    properties: { ...TYPE_META, metadata, ...membersOf(properties) },
    'x-kubernetes-group-version-kind': [kindOf(definition, '')],
  };
}

function listSchema(definition: ResourceDefinition, into: Components): OpenapiSchema {
  const { kind, plural } = definition;
  return {
    type: 'object',
    description: `${kind}List is a list of ${kind} objects.`,
    required: ['items'],
    properties: {
      apiVersion: TYPE_META.apiVersion,
      items: { type: 'array', description: `List of ${plural}.`, items: kindReference(definition, into) },
      kind: TYPE_META.kind,
      metadata: describedReference(
        metaReference(LIST_META, into),
        { description: 'Standard list metadata.', default: {} },
        into,
      ),
    },
    'x-kubernetes-group-version-kind': [kindOf(definition, 'List')],
  };
}

function kindOf({ group, version, kind }: ResourceDefinition, suffix: '' | 'List'): object {
  return { group, kind: `${kind}${suffix}`, version };
}
