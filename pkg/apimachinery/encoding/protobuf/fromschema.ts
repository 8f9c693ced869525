/** Messages by reflection: field numbers and types come from the schemas of kinds. */
import type { ResourceDefinition } from '../../../../api/resource.js';
import { MICRO_TIME, TIME } from '../../../../api/meta/v1/schema.js';
import { OBJECT_META, jsonSchema, type JsonSchema } from '../../schema/jsonschema.js';
import { sorted, type Field, type Message, type Scalar } from './message.js';

let objectMeta: Message | undefined;

/** The message of `metadata`, the same for every kind. */
export const objectMetaMessage = (): Message => (objectMeta ??= madeObjectMeta());

/** Go always has a creation time, which the schema has no default for. */
function madeObjectMeta(): Message {
  const { fields } = messageOf(OBJECT_META);
  return { fields: fields.map((one) => (one.name === 'creationTimestamp' ? { ...one, always: true } : one)) };
}

/** Whether objects of the kind have a protobuf form. */
export function declaresProtobuf({ schema }: Pick<ResourceDefinition, 'schema'>): boolean {
  return 'x-protobuf' in schema;
}

/** The message of a kind that {@link declaresProtobuf}. Throws RangeError if a field of the schema has no number. */
export function kindMessage({ schema }: Pick<ResourceDefinition, 'schema'>): Message {
  const declared = jsonSchema(schema);
  return messageOf({ ...declared, properties: { metadata: OBJECT_META, ...declared.properties } });
}

function messageOf(schema: JsonSchema): Message {
  const numbers = schema['x-protobuf'] ?? {};
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const number = numbers[name];
    if (number === undefined) throw new RangeError(`x-protobuf: no number for ${name}`);
    return fieldOf(name, number, property, required.has(name));
  });
  return { fields: sorted(fields) };
}

function fieldOf(name: string, number: number, schema: JsonSchema, required: boolean): Field {
  const keepEmpty = required || schema['x-keep-empty'] === true || schema.default === '';
  if (schema.items !== undefined) {
    return { name, number, type: typeOf(schema.items), shape: 'list', keepEmpty };
  }
  if (typeof schema.additionalProperties === 'object') {
    return { name, number, type: typeOf(schema.additionalProperties), shape: 'map', keepEmpty };
  }
  const type = typeOf(schema);
  return { name, number, type, shape: 'one', keepEmpty, always: isValue(type, schema) };
}

/** Whether Go always has a value: scalars that are no pointers, and fields whose default says so. */
function isValue(type: Scalar | Message, schema: JsonSchema): boolean {
  switch (type) {
    case 'bytes':
    case 'strings':
      return false;
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'double':
      return schema['x-keep-empty'] !== true;
    default:
      return schema.default !== undefined || type === objectMeta;
  }
}

function typeOf(schema: JsonSchema): Scalar | Message {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'json';
  if (schema.properties === OBJECT_META.properties) return objectMetaMessage();
  switch (schema.type) {
    case 'string':
      return stringType(schema);
    case 'boolean':
      return 'bool';
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64';
    case 'array':
      return 'strings';
    default:
      return messageOf(schema);
  }
}

function stringType(schema: JsonSchema): Scalar {
  if (schema.format === 'byte') return 'bytes';
  if (schema['x-component'] === MICRO_TIME) return 'microTime';
  return schema.format === 'date-time' || schema['x-component'] === TIME ? 'time' : 'string';
}
