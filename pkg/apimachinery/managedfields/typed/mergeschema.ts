/**
 * The merge rules of a kind's schema, compiled once (`k8s.io/kube-openapi/pkg/schemaconv` on top of
 * `sigs.k8s.io/structured-merge-diff/v6/schema`).
 */
import type { JsonValue } from '../../../../api/resource.js';
import { encodeString } from '../../encoding/gostring.js';
import type { JsonSchema } from '../../schema/jsonschema.js';
import { fieldElement } from '../fieldpath/element.js';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

/** A type may have several shapes if the schema leaves it open; the value decides. */
export interface MergeType {
  readonly scalar: ScalarType | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
  /** The value is accepted but never stored or shown (`writeOnly`). */
  readonly writeOnly: boolean;
}

export interface ListType {
  /** `set`: items are scalars, identified by value; `map`: items are identified by their keys. */
  readonly relation: 'atomic' | 'set' | 'map';
  /** Sorted by name. */
  readonly keys: readonly ListKey[];
  /** The names of the keys in the schema's order. */
  readonly keyNames: readonly string[];
  readonly items: MergeType;
}

interface ListKey {
  readonly name: string;
  /** `"name":` in the text of a path element. */
  readonly prefix: string;
  /** The default of the key; undefined if there is none. */
  readonly fallback: JsonValue | undefined;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The type of members other than fields; undefined if there may be none. */
  readonly values: MergeType | undefined;
}

export interface FieldType {
  readonly type: MergeType;
  readonly element: string;
}

const NO_FIELDS: ReadonlyMap<string, FieldType> = new Map();

/** Below atomic, untyped data. */
const UNTYPED: MergeType = openType(true);
/** Data without a schema: maps merge member by member, lists are atomic, scalars are of any type. */
const DEDUCED: MergeType = openType(false);

function openType(atomic: boolean): MergeType {
  const type = { scalar: 'untyped' as const, list: undefined, map: undefined, writeOnly: false };
  const open: { -readonly [M in keyof MergeType]: MergeType[M] } = type;
  open.list = { relation: 'atomic', keys: [], keyNames: [], items: atomic ? open : UNTYPED };
  open.map = { atomic, fields: NO_FIELDS, values: open };
  return open;
}

/** `schema`: of a whole object, without `$ref`. */
export function compileMergeType(schema: JsonSchema, openBelow = false): MergeType {
  const open = openBelow || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const writeOnly = schema['writeOnly'] === true;
  const { type } = schema;
  if (type === 'object') return { scalar: undefined, list: undefined, map: mapType(schema, open), writeOnly };
  if (type === 'array') return { scalar: undefined, list: listType(schema, open), map: undefined, writeOnly };
  if (type !== undefined) return { scalar: scalarType(schema), list: undefined, map: undefined, writeOnly };
  return { scalar: 'untyped', list: listType(schema, open), map: mapType(schema, open), writeOnly };
}

function scalarType({ type, format }: JsonSchema): ScalarType {
  switch (type) {
    case 'integer':
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'string':
      return format === undefined || format === 'byte' ? 'string' : 'untyped';
    default:
      return 'untyped';
  }
}

function mapType(schema: JsonSchema, open: boolean): MapType {
  const fields = new Map<string, FieldType>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, { type: compileMergeType(property, open), element: fieldElement(name) });
  }
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  return { atomic, fields, values: otherMembers(schema, open, fields.size) };
}

function otherMembers(schema: JsonSchema, open: boolean, fields: number): MergeType | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return compileMergeType(additionalProperties, open);
  if (additionalProperties !== undefined) return additionalProperties ? DEDUCED : undefined;
  return open || fields === 0 ? DEDUCED : undefined;
}

function listType(schema: JsonSchema, open: boolean): ListType {
  const items = schema.items === undefined ? UNTYPED : compileMergeType(schema.items, open);
  const relation = schema['x-kubernetes-list-type'] ?? patchRelation(schema);
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const names = schema['x-kubernetes-list-map-keys'] ?? (mergeKey === undefined ? [] : [mergeKey]);
  const keys = relation !== 'map' ? [] : [...names].sort().map((name) => listKey(name, schema.items));
  return { relation, keys, keyNames: keys.length === 0 ? [] : names, items };
}

/** Lists that only declare a strategic merge patch strategy merge in the same way here. */
function patchRelation(schema: JsonSchema): ListType['relation'] {
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (typeof strategy !== 'string' || !strategy.split(',').includes('merge')) return 'atomic';
  return schema['x-kubernetes-patch-merge-key'] === undefined ? 'set' : 'map';
}

function listKey(name: string, items: JsonSchema | undefined): ListKey {
  const fallback = items?.properties?.[name]?.default;
  return { name, prefix: `${encodeString(name)}:`, fallback: fallback ?? undefined };
}
