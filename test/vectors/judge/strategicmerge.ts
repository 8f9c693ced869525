/** Lines of strategicmerge.jsonl. */
import { deepStrictEqual, equal, throws } from 'node:assert/strict';
import type { JsonValue } from '../../../api/resource.js';
import { StatusError } from '../../../pkg/apimachinery/errors.js';
import { applyStrategicMergePatch } from '../../../pkg/apimachinery/patch/strategicmerge.js';
import type {
  PatchField,
  PatchType,
  StructType,
} from '../../../pkg/apimachinery/patch/strategicmergetype.js';

export interface StrategicMergeVector {
  readonly id: string;
  readonly kind: string;
  readonly original: JsonValue;
  readonly patch: JsonValue;
  readonly result?: JsonValue;
  readonly error?: { readonly code: number; readonly message: string };
  readonly panic?: boolean;
  readonly oneOf?: readonly { readonly result?: JsonValue; readonly error?: unknown }[];
}

/** A member's type in `patchMeta` of schemas.json. */
export interface Meta {
  readonly kind: 'scalar' | 'any' | 'struct' | 'map' | 'list';
  readonly type?: string;
  readonly items?: Meta;
  readonly strategies?: readonly string[];
  readonly mergeKey?: string;
}

export interface PatchMeta {
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, Readonly<Record<string, Meta>>>>;
}

/** The merge rules of a kind as `patchMeta` tells them. */
export function patchTypeOf(meta: PatchMeta, kind: string): StructType {
  return structOf(meta, meta.kinds[kind] ?? kind);
}

function structOf(meta: PatchMeta, type: string): StructType {
  const fields = Object.entries(meta.types[type] ?? {}).map(([name, field]): [string, PatchField] => {
    const strategy = field.strategies?.find((each) => each === 'merge' || each === 'replace');
    const rule = { type: typeOf(meta, field), mergeKey: field.mergeKey ?? '' };
    return [name, strategy === undefined ? rule : { ...rule, strategy }];
  });
  return { shape: 'struct', name: type.split('.').pop() ?? type, fields: new Map(fields) };
}

function typeOf(meta: PatchMeta, { kind, type, items }: Meta): PatchType {
  if (kind === 'struct') return structOf(meta, type ?? '');
  if (kind === 'list') return { shape: 'list', items: typeOf(meta, items ?? { kind: 'scalar' }) };
  return { shape: kind === 'map' ? 'map' : 'scalar' };
}

/** Throws where the merge differs. Texts are compared where Kubernetes answers 400; else any 4xx will do. */
export function judgeStrategicMerge(vector: StrategicMergeVector, meta: PatchMeta): void {
  const before = JSON.stringify([vector.original, vector.patch]);
  const apply = (): JsonValue =>
    applyStrategicMergePatch(vector.original, vector.patch, patchTypeOf(meta, vector.kind));
  if (vector.oneOf !== undefined) {
    const found = JSON.stringify(sorted(apply()));
    const allowed = vector.oneOf.map(({ result }) => JSON.stringify(sorted(result ?? null)));
    equal(allowed.includes(found), true, `${found} is none of ${allowed.join(' ')}`);
  } else if (vector.panic === true || vector.error !== undefined) {
    throws(apply, (error: unknown) => isRefusal(error, vector.error));
  } else {
    deepStrictEqual(apply(), vector.result);
  }
  equal(JSON.stringify([vector.original, vector.patch]), before, 'an argument was changed');
}

function isRefusal(error: unknown, expected: StrategicMergeVector['error']): boolean {
  if (!(error instanceof StatusError)) return false;
  if (error.code < 400 || error.code > 499) return false;
  return expected?.code !== 400 || error.message === expected.message;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] as JsonValue)]));
}
