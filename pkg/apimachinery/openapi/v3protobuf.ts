/** OpenAPI 3.0 documents in protobuf. */
import { codecOf } from '../encoding/protobuf/codec.js';
import type { OpenapiSchema } from './schema.js';
import { PLAIN_KEYWORDS, any, asIs, listed, mapped, shaped, type Members, type Shape } from './shaped.js';
import type { OpenapiV3 } from './v3.js';
import { openapiV3Message } from './v3message.js';

const codec = codecOf(() => openapiV3Message);

/** Throws RangeError for a member that the message does not have. */
export function encodeOpenapiV3(document: OpenapiV3): Buffer {
  return codec.encode(
    shaped(
      { ...document },
      {
        openapi: asIs,
        info: asIs,
        paths: mapped(pathItem),
        components: (value: Members) =>
          shaped(value, {
            schemas: mapped(schema),
            securitySchemes: mapped((scheme) => ({ scheme })),
          }),
      },
    ),
  );
}

function schema(value: OpenapiSchema): object {
  return value.$ref === undefined
    ? { schema: shaped(value, SCHEMA) }
    : { reference: shaped(value, REFERENCE) };
}

const REFERENCE: Readonly<Record<string, Shape>> = { $ref: asIs };

const SCHEMA: Readonly<Record<string, Shape>> = {
  ...PLAIN_KEYWORDS,
  nullable: asIs,
  type: asIs,
  enum: (values: readonly unknown[]) => values.map(any),
  allOf: listed(schema),
  oneOf: listed(schema),
  anyOf: listed(schema),
  items: (value: OpenapiSchema) => ({ item: [schema(value)] }),
  properties: mapped(schema),
  additionalProperties: (value: boolean | OpenapiSchema) =>
    typeof value === 'boolean' ? { boolean: value } : { schema: schema(value) },
  default: defaultOf,
};

/** The message has defaults of three types; others are omitted, as in Kubernetes. */
function defaultOf(value: unknown): object | undefined {
  switch (typeof value) {
    case 'number':
      return { number: value };
    case 'boolean':
      return { boolean: value };
    case 'string':
      return { string: value };
    default:
      return undefined;
  }
}

const content = mapped((value) => shaped(value, { schema }));

function parameter(value: OpenapiSchema): object {
  return {
    parameter: shaped(value, { name: asIs, in: asIs, description: asIs, required: asIs, schema }),
  };
}

const requestBody = (value: OpenapiSchema): object => ({
  requestBody: shaped(value, { content, required: asIs }),
});

const response = (value: OpenapiSchema): object => ({
  response: shaped(value, { description: asIs, content }),
});

function operation(value: OpenapiSchema): object {
  return shaped(value, {
    tags: asIs,
    description: asIs,
    operationId: asIs,
    parameters: listed(parameter),
    requestBody,
    responses: mapped(response),
  });
}

function pathItem(value: OpenapiSchema): object {
  const methods = ['get', 'put', 'post', 'delete', 'patch'].map((method) => [method, operation]);
  return shaped(value, { ...Object.fromEntries(methods), parameters: listed(parameter) });
}
