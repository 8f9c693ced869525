import type { TSchema } from 'typebox';
import type { JsonValue } from '../../../api/resource.js';
import { objectMetaSchema } from '../../../api/meta/v1/objectmeta.js';

/** The part of JSON Schema (with the `x-kubernetes-*` extensions) that declares kinds. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly default?: JsonValue;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly 'x-component'?: string;
  readonly 'x-keep-empty'?: boolean;
  /** The most bytes of JSON of a free-form object. */
  readonly 'x-max-bytes'?: number;
  /** Values that errors must not contain. */
  readonly 'x-sensitive'?: boolean;
  readonly 'x-protobuf'?: Readonly<Record<string, number>>;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly [keyword: string]: unknown;
}

/** Converts a TypeBox declaration; its records, which TypeBox writes as one pattern, become maps. */
export function jsonSchema(declared: TSchema): JsonSchema {
  return mapSchema({ ...declared }, (schema) => schema);
}

/** The schema of every object's metadata. */
export const OBJECT_META: JsonSchema = jsonSchema(objectMetaSchema);

export type JsonObject = Record<string, unknown>;

export { isObject } from '../encoding/members.js';

/** Fields that an object must have after defaults are applied. */
export function requiredFields(schema: JsonSchema): string[] {
  return (schema.required ?? []).filter((name) => schema.properties?.[name]?.default === undefined);
}

/** Returns a copy with `change` applied to every subschema, innermost first. */
export function mapSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const { patternProperties, ...rest } = schema;
  const copy: Record<string, unknown> = rest;
  const values = Object.values(patternProperties ?? {})[0] ?? schema.additionalProperties;
  if (schema.properties !== undefined) {
    copy['properties'] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, mapSchema(property, change)]),
    );
  }
  if (schema.items !== undefined) copy['items'] = mapSchema(schema.items, change);
  if (typeof values === 'object') copy['additionalProperties'] = mapSchema(values, change);
  return change(copy);
}
