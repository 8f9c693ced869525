/** The OpenAPI 2.0 document in protobuf, which kubectl requests before it patches. */
import { codecOf } from '../encoding/protobuf/codec.js';
import type { OpenapiSchema } from './schema.js';
import { PLAIN_KEYWORDS, any, asIs, listed, mapped, shaped, type Members, type Shape } from './shaped.js';
import type { OpenapiV2 } from './v2.js';
import { openapiV2Message } from './v2message.js';

const codec = codecOf(() => openapiV2Message);

/** Throws RangeError for a member that the message does not have. */
export function encodeOpenapiV2(document: OpenapiV2): Buffer {
  return codec.encode(
    shaped(
      { ...document },
      {
        swagger: asIs,
        info: asIs,
        paths: mapped(pathItem),
        definitions: mapped(schema),
        security: (list: readonly Members[]) => list.map((each) => ({ map: each })),
        securityDefinitions: mapped((definition) => ({ apiKey: definition })),
      },
    ),
  );
}

function schema(value: OpenapiSchema): Members {
  return shaped(value, SCHEMA);
}

const SCHEMA: Readonly<Record<string, Shape>> = {
  ...PLAIN_KEYWORDS,
  $ref: asIs,
  default: any,
  enum: (values: readonly unknown[]) => values.map(any),
  additionalProperties: (value: boolean | OpenapiSchema) =>
    typeof value === 'boolean' ? { boolean: value } : { schema: schema(value) },
  type: (type: string) => [type],
  items: (value: OpenapiSchema) => ({ schema: schema(value) }),
  allOf: listed(schema),
  properties: mapped(schema),
};

function parameter(value: OpenapiSchema): object {
  if (value.in === 'body') return { parameter: { body: shaped(value, { ...PARAMETER, schema }) } };
  const shape = shaped(value, PARAMETER);
  return { parameter: { other: value.in === 'path' ? { path: shape } : { query: shape } } };
}

const PARAMETER: Readonly<Record<string, Shape>> = {
  name: asIs,
  in: asIs,
  description: asIs,
  required: asIs,
  type: asIs,
  uniqueItems: asIs,
};

function response(value: OpenapiSchema): object {
  return {
    response: shaped(value, {
      description: asIs,
      schema: (inner: OpenapiSchema) => ({ schema: schema(inner) }),
    }),
  };
}

function operation(value: OpenapiSchema): object {
  return shaped(value, {
    tags: asIs,
    description: asIs,
    operationId: asIs,
    produces: asIs,
    consumes: asIs,
    parameters: listed(parameter),
    responses: mapped(response),
    schemes: asIs,
  });
}

function pathItem(value: OpenapiSchema): object {
  const methods = ['get', 'put', 'post', 'delete', 'patch'].map((method) => [method, operation]);
  return shaped(value, { ...Object.fromEntries(methods), parameters: listed(parameter) });
}
