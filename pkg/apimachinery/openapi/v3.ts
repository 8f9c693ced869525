/** OpenAPI 3.0 documents: one for each version of each group, as Kubernetes serves them below `/openapi/v3`. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { DOCUMENT_INFO, sortedObject, tokenScheme } from './document.js';
import { groupVersionPath, tagOf } from './names.js';
import type { Operation } from './operations.js';
import type { Parameter } from './parameters.js';
import {
  answerDescription,
  answerTypes,
  bodyRequired,
  operationHead,
  payloadReference,
  requestTypes,
  UNAUTHORIZED,
} from './payloads.js';
import type { Components, OpenapiSchema } from './schema.js';
import { pathItems } from './pathitems.js';

export interface OpenapiV3 {
  openapi: '3.0.0';
  info: { title: string; version: string };
  paths: Record<string, OpenapiSchema>;
  components: { schemas: Record<string, OpenapiSchema>; securitySchemes: Record<string, OpenapiSchema> };
}

/** Keys of the index, sorted: `api/v1`, `apis/<group>/<version>`. */
export function openapiV3Paths(definitions: readonly ResourceDefinition[]): string[] {
  return [...new Set(definitions.map(groupVersionPath))].sort();
}

/** The document of one key of the index. An unknown key gives a document without paths. */
export function openapiV3(definitions: readonly ResourceDefinition[], path: string): OpenapiV3 {
  const into: Components = { dialect: 'v3', schemas: new Map() };
  const paths = definitions
    .filter((definition) => groupVersionPath(definition) === path)
    .flatMap((definition) => pathItems(definition, into, operationObject, parameterObject));
  return {
    openapi: '3.0.0',
    info: { ...DOCUMENT_INFO },
    paths: sortedObject(paths),
    components: { schemas: sortedObject(into.schemas), securitySchemes: { BearerToken: tokenScheme() } },
  };
}

function operationObject(
  operation: Operation,
  definition: ResourceDefinition,
  into: Components,
): OpenapiSchema {
  const kind = operation.object ?? definition;
  const { parameters, body, answers } = operation;
  const types = answerTypes(operation, definition);
  const responses = Object.entries(answers).map(([code, payload]) => {
    const schema = payloadReference(payload, kind, into);
    return [code, { description: answerDescription(code), content: content(types, schema) }];
  });
  return {
    ...operationHead(operation, tagOf(definition), definition),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
    ...(body !== undefined && {
      requestBody: {
        content: content(requestTypes(operation, definition), payloadReference(body, kind, into)),
        ...(bodyRequired(operation) && { required: true }),
      },
    }),
    responses: { ...Object.fromEntries(responses), ...UNAUTHORIZED },
  };
}

function content(types: readonly string[], schema: OpenapiSchema): OpenapiSchema {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function parameterObject({ name, in: place, description, type }: Parameter): OpenapiSchema {
  return {
    name,
    in: place,
    description,
    ...(place === 'path' && { required: true }),
    schema: { type, uniqueItems: true },
  };
}
