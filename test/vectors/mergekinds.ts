import type { JsonSchema } from '../../pkg/apimachinery/schema/jsonschema.js';
import { readVectorText } from './read.js';

/** A kind of `schemas.json`, its schema without `$ref`. */
export interface MergeKind {
  readonly group: string;
  readonly kind: string;
  readonly servedVersions: readonly string[];
  readonly namespaced: boolean;
  readonly schema: JsonSchema;
  /** Per subresource, `''` for the main one: paths of field names. */
  readonly resetFields: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/** What is read of `schemas.json` here. */
export interface MergeSchemas {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  readonly kinds: Readonly<Record<string, MergeKind>>;
}

/** The kinds of `schemas.json` by their names there. */
export function mergeKindsOf({ definitions, kinds }: MergeSchemas): ReadonlyMap<string, MergeKind> {
  return new Map(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { ...kind, schema: resolve(kind.schema, definitions) },
    ]),
  );
}

/** The same, of this folder's `schemas.json`. */
export function readMergeKinds(): ReadonlyMap<string, MergeKind> {
  return mergeKindsOf(JSON.parse(readVectorText('schemas.json')) as MergeSchemas);
}

/** A copy with every `$ref` replaced by what it names; members beside it win. */
function resolve(schema: JsonSchema, definitions: MergeSchemas['definitions']): JsonSchema {
  const reference = (schema['$ref'] ?? (schema['allOf'] as JsonSchema[] | undefined)?.[0]?.['$ref']) as
    string | undefined;
  const named = reference === undefined ? {} : definitions[reference.split('/').pop() as string];
  const { $ref: _ref, allOf: _allOf, ...own } = { ...named, ...schema };
  const inner = (each: JsonSchema): JsonSchema => resolve(each, definitions);
  const copy: Record<string, unknown> = { ...own };
  if (own.properties !== undefined) {
    copy['properties'] = Object.fromEntries(
      Object.entries(own.properties).map(([name, property]) => [name, inner(property)]),
    );
  }
  if (own.items !== undefined) copy['items'] = inner(own.items);
  if (typeof own.additionalProperties === 'object')
    copy['additionalProperties'] = inner(own.additionalProperties);
  return copy;
}
