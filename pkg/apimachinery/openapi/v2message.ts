/**
 * The OpenAPI 2.0 document as a protobuf message (`github.com/google/gnostic-models/openapiv2/OpenAPIv2.proto`),
 * restricted to the documents of this server. Lists of names and values are declared as maps, which are the same on
 * the wire.
 */
import { sparseMessage, type Field, type Message, type Scalar } from '../encoding/protobuf/message.js';

/** Any value, as YAML. */
const any = sparseMessage({ yaml: [2, 'string'] });
const mapOf = (type: Scalar | Message): Message => sparseMessage({ map: [1, type, 'map'] });

const schemaFields: Field[] = [];
/** Schemas are recursive, so the fields are added after the message. */
const schema: Message = { fields: schemaFields };
schemaFields.push(
  ...sparseMessage({
    $ref: [1, 'string'],
    format: [2, 'string'],
    description: [4, 'string'],
    default: [5, any],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'bool'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'bool'],
    maxLength: [11, 'int64'],
    minLength: [12, 'int64'],
    pattern: [13, 'string'],
    maxItems: [14, 'int64'],
    minItems: [15, 'int64'],
    uniqueItems: [16, 'bool'],
    maxProperties: [17, 'int64'],
    minProperties: [18, 'int64'],
    required: [19, 'string', 'list'],
    enum: [20, any, 'list'],
    additionalProperties: [21, sparseMessage({ schema: [1, schema], boolean: [2, 'bool'] })],
    type: [22, 'strings'],
    items: [23, sparseMessage({ schema: [1, schema] })],
    allOf: [24, schema, 'list'],
    properties: [25, mapOf(schema)],
    extensions: [31, any, 'map'],
  }).fields,
);

const bodyParameter = sparseMessage({
  description: [1, 'string'],
  name: [2, 'string'],
  in: [3, 'string'],
  required: [4, 'bool'],
  schema: [5, schema],
});
const queryParameter = sparseMessage({
  required: [1, 'bool'],
  in: [2, 'string'],
  description: [3, 'string'],
  name: [4, 'string'],
  type: [6, 'string'],
  uniqueItems: [20, 'bool'],
});
const pathParameter = sparseMessage({
  required: [1, 'bool'],
  in: [2, 'string'],
  description: [3, 'string'],
  name: [4, 'string'],
  type: [5, 'string'],
  uniqueItems: [19, 'bool'],
});
const otherParameter = sparseMessage({ query: [3, queryParameter], path: [4, pathParameter] });
const parameter = sparseMessage({
  parameter: [1, sparseMessage({ body: [1, bodyParameter], other: [2, otherParameter] })],
});

const response = sparseMessage({
  response: [
    1,
    sparseMessage({ description: [1, 'string'], schema: [2, sparseMessage({ schema: [1, schema] })] }),
  ],
});

const operation = sparseMessage({
  tags: [1, 'string', 'list'],
  description: [3, 'string'],
  operationId: [5, 'string'],
  produces: [6, 'string', 'list'],
  consumes: [7, 'string', 'list'],
  parameters: [8, parameter, 'list'],
  responses: [9, mapOf(response)],
  schemes: [10, 'string', 'list'],
  extensions: [13, any, 'map'],
});

const pathItem = sparseMessage({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  patch: [8, operation],
  parameters: [9, parameter, 'list'],
});

const apiKey = sparseMessage({
  type: [1, 'string'],
  name: [2, 'string'],
  in: [3, 'string'],
  description: [4, 'string'],
});

export const openapiV2Message = sparseMessage({
  swagger: [1, 'string'],
  info: [2, sparseMessage({ title: [1, 'string'], version: [2, 'string'] })],
  paths: [8, sparseMessage({ map: [2, pathItem, 'map'] })],
  definitions: [9, mapOf(schema)],
  security: [12, mapOf('strings'), 'list'],
  securityDefinitions: [13, mapOf(sparseMessage({ apiKey: [2, apiKey] }))],
});
