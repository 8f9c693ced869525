/**
 * The OpenAPI 3.0 document as a protobuf message (`github.com/google/gnostic-models/openapiv3/OpenAPIv3.proto`),
 * restricted to the documents of this server. Lists of names and values are declared as maps, which are the same on
 * the wire.
 */
import { sparseMessage, type Field, type Message } from '../encoding/protobuf/message.js';

/** Any value, as YAML. */
const any = sparseMessage({ yaml: [2, 'string'] });
const mapOf = (type: Message): Message => sparseMessage({ map: [1, type, 'map'] });

const schemaFields: Field[] = [];
/** Schemas are recursive, so the fields are added after the message. */
const schema: Message = { fields: schemaFields };
const schemaOrReference = sparseMessage({
  schema: [1, schema],
  reference: [2, sparseMessage({ $ref: [1, 'string'] })],
});
schemaFields.push(
  ...sparseMessage({
    nullable: [1, 'bool'],
    multipleOf: [10, 'double'],
    maximum: [11, 'double'],
    exclusiveMaximum: [12, 'bool'],
    minimum: [13, 'double'],
    exclusiveMinimum: [14, 'bool'],
    maxLength: [15, 'int64'],
    minLength: [16, 'int64'],
    pattern: [17, 'string'],
    maxItems: [18, 'int64'],
    minItems: [19, 'int64'],
    uniqueItems: [20, 'bool'],
    maxProperties: [21, 'int64'],
    minProperties: [22, 'int64'],
    required: [23, 'string', 'list'],
    enum: [24, any, 'list'],
    type: [25, 'string'],
    allOf: [26, schemaOrReference, 'list'],
    oneOf: [27, schemaOrReference, 'list'],
    anyOf: [28, schemaOrReference, 'list'],
    items: [30, sparseMessage({ item: [1, schemaOrReference, 'list'] })],
    properties: [31, mapOf(schemaOrReference)],
    additionalProperties: [32, sparseMessage({ schema: [1, schemaOrReference], boolean: [2, 'bool'] })],
    default: [33, sparseMessage({ number: [1, 'double'], boolean: [2, 'bool'], string: [3, 'string'] })],
    description: [34, 'string'],
    format: [35, 'string'],
    extensions: [36, any, 'map'],
  }).fields,
);

const parameter = sparseMessage({
  parameter: [
    1,
    sparseMessage({
      name: [1, 'string'],
      in: [2, 'string'],
      description: [3, 'string'],
      required: [4, 'bool'],
      schema: [10, schemaOrReference],
    }),
  ],
});

const content = mapOf(sparseMessage({ schema: [1, schemaOrReference] }));
const requestBody = sparseMessage({
  requestBody: [1, sparseMessage({ content: [2, content], required: [3, 'bool'] })],
});
const response = sparseMessage({
  response: [1, sparseMessage({ description: [1, 'string'], content: [3, content] })],
});

const operation = sparseMessage({
  tags: [1, 'string', 'list'],
  description: [3, 'string'],
  operationId: [5, 'string'],
  parameters: [6, parameter, 'list'],
  requestBody: [7, requestBody],
  responses: [8, sparseMessage({ map: [2, response, 'map'] })],
  extensions: [13, any, 'map'],
});

const pathItem = sparseMessage({
  get: [4, operation],
  put: [5, operation],
  post: [6, operation],
  delete: [7, operation],
  patch: [10, operation],
  parameters: [13, parameter, 'list'],
});

const securityScheme = sparseMessage({
  scheme: [
    1,
    sparseMessage({
      type: [1, 'string'],
      description: [2, 'string'],
      name: [3, 'string'],
      in: [4, 'string'],
    }),
  ],
});

export const openapiV3Message = sparseMessage({
  openapi: [1, 'string'],
  info: [2, sparseMessage({ title: [1, 'string'], version: [6, 'string'] })],
  paths: [4, mapOf(pathItem)],
  components: [
    5,
    sparseMessage({ schemas: [1, mapOf(schemaOrReference)], securitySchemes: [7, mapOf(securityScheme)] }),
  ],
});
