/** What requests and answers hold: schemas and media types. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { kindReference, listReference } from './kindschemas.js';
import { DELETE_OPTIONS, PATCH, STATUS, WATCH_EVENT } from './metaschemas.js';
import type { Operation, Payload } from './operations.js';
import { PATCH_MEDIA_TYPES } from './patchtypes.js';
import type { Components, OpenapiSchema } from './schema.js';
import { metaReference } from './schema.js';

const OBJECT_TYPES: readonly string[] = ['application/json', 'application/yaml'];

/** A reference to the schema of a body. */
export function payloadReference(
  payload: Payload,
  definition: ResourceDefinition,
  into: Components,
): OpenapiSchema {
  switch (payload) {
    case 'object':
      return kindReference(definition, into);
    case 'list':
      return listReference(definition, into);
    case 'status':
      return metaReference(STATUS, into);
    case 'watchEvent':
      return metaReference(WATCH_EVENT, into);
    case 'patch':
      return metaReference(PATCH, into);
    case 'deleteOptions':
      return metaReference(DELETE_OPTIONS, into);
  }
}

/** Media types of an operation's request body; empty when it takes none. */
export function requestTypes({ body }: Operation): readonly string[] {
  if (body === undefined) return [];
  return body === 'patch' ? PATCH_MEDIA_TYPES : OBJECT_TYPES;
}

/** Media types of an operation's answers. */
export function answerTypes({ answers }: Operation): readonly string[] {
  const streams = Object.values(answers).some((payload) => payload === 'list' || payload === 'watchEvent');
  return streams ? [...OBJECT_TYPES, 'application/json;stream=watch'] : OBJECT_TYPES;
}

/** DELETE says everything in its query too, so only its body may be left out. */
export function bodyRequired({ body }: Operation): boolean {
  return body !== 'deleteOptions';
}

const DESCRIPTIONS: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

/** One word for a status code. */
export function answerDescription(code: string): string {
  return DESCRIPTIONS[code] ?? code;
}

/** Answers that Kubernetes lists beside those of the operation itself. */
export const UNAUTHORIZED = { '401': { description: 'Unauthorized' } } as const;

/** What both dialects say of an operation in the same way. The extension is an object here, a list on components. */
export function operationHead(
  operation: Operation,
  tag: string,
  definition: ResourceDefinition,
): OpenapiSchema {
  const { group, version, kind } = operation.object ?? definition;
  return {
    tags: [tag],
    description: operation.description,
    operationId: operation.id,
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}
