/** Schemas and media types of requests and responses. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { declaresProtobuf } from '../encoding/protobuf/fromschema.js';
import { kindReference, listReference } from './kindschemas.js';
import { DELETE_OPTIONS, PATCH, STATUS, WATCH_EVENT } from './metaschemas.js';
import type { Operation, Payload } from './operations.js';
import { PATCH_MEDIA_TYPES } from './patchtypes.js';
import { metaReference, type Components, type OpenapiSchema } from './schema.js';

const OBJECT_TYPES: readonly string[] = ['application/json', 'application/yaml'];
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

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

/** Media types of an operation's request body; Kubernetes names none for its own kinds. */
export function requestTypes({ body }: Operation, { builtIn }: ResourceDefinition): readonly string[] {
  if (body === 'patch') return PATCH_MEDIA_TYPES;
  if (builtIn) return ['*/*'];
  return body === undefined ? [] : OBJECT_TYPES;
}

/** Media types of an operation's responses. */
export function answerTypes({ answers }: Operation, definition: ResourceDefinition): readonly string[] {
  const protobuf = declaresProtobuf(definition);
  const types = protobuf ? [...OBJECT_TYPES, PROTOBUF] : OBJECT_TYPES;
  const streams = Object.values(answers).some((payload) => payload === 'list' || payload === 'watchEvent');
  if (!streams) return types;
  const streamed = protobuf ? ['application/json', PROTOBUF] : ['application/json'];
  return [...types, ...streamed.map((type) => `${type};stream=watch`)];
}

/** Only the body of DELETE is optional, as its query has the same options. */
export function bodyRequired({ body }: Operation): boolean {
  return body !== 'deleteOptions';
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  '200': 'OK',
  '201': 'Created',
  '202': 'Accepted',
  '404': 'Not Found',
  '405': 'Method Not Allowed',
};

/** One word for a status code. */
export function answerDescription(code: string): string {
  return DESCRIPTIONS[code] ?? code;
}

/** Responses that Kubernetes lists in addition to the operation's own. */
export const UNAUTHORIZED = { '401': { description: 'Unauthorized' } } as const;

/** Common parts of operations in both OpenAPI versions. The extension is an object here, a list on components. */
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
