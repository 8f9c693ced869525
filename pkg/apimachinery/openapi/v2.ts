/** The OpenAPI 2.0 (Swagger) document of all kinds together, served at `/openapi/v2`. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { DOCUMENT_INFO, sortedObject, tokenScheme } from './document.js';
import { tagOf } from './names.js';
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

export interface OpenapiV2 {
  swagger: '2.0';
  info: { title: string; version: string };
  paths: Record<string, OpenapiSchema>;
  definitions: Record<string, OpenapiSchema>;
  securityDefinitions: Record<string, OpenapiSchema>;
  security: Record<string, string[]>[];
}

/** Builds the document. */
export function openapiV2(definitions: readonly ResourceDefinition[]): OpenapiV2 {
  const into: Components = { dialect: 'v2', schemas: new Map() };
  const paths = definitions.flatMap((definition) =>
    pathItems(definition, into, operationObject, parameterObject),
  );
  return {
    swagger: '2.0',
    info: { ...DOCUMENT_INFO },
    paths: sortedObject(paths),
    definitions: sortedObject(into.schemas),
    securityDefinitions: { BearerToken: tokenScheme() },
    security: [{ BearerToken: [] }],
  };
}

function operationObject(
  operation: Operation,
  definition: ResourceDefinition,
  into: Components,
): OpenapiSchema {
  const kind = operation.object ?? definition;
  const { body, answers } = operation;
  const parameters = operation.parameters.map(parameterObject);
  if (body !== undefined) {
    const schema = payloadReference(body, kind, into);
    parameters.unshift({
      name: 'body',
      in: 'body',
      ...(bodyRequired(operation) && { required: true }),
      schema,
    });
  }
  const consumes = requestTypes(operation, definition);
  const responses = Object.entries(answers).map(([code, payload]) => {
    return [code, { description: answerDescription(code), schema: payloadReference(payload, kind, into) }];
  });
  return {
    ...operationHead(operation, tagOf(definition), definition),
    schemes: ['https'],
    ...(consumes.length > 0 && { consumes: [...consumes] }),
    produces: [...answerTypes(operation, definition)],
    ...(parameters.length > 0 && { parameters }),
    responses: { ...Object.fromEntries(responses), ...UNAUTHORIZED },
  };
}

function parameterObject({ name, in: place, description, type }: Parameter): OpenapiSchema {
  return {
    name,
    in: place,
    description,
    ...(place === 'path' && { required: true }),
    type,
    uniqueItems: true,
  };
}
