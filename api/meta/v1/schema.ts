/** The few schema shapes that every kind is made of, beside what TypeBox has. */
import { Type } from '../../type.js';
import type { Static, TObject, TUnsafe } from 'typebox';

/**
 * Options that say more than JSON Schema does. `description` is what `kubectl explain` prints.
 * `x-component`: name of the published component schema; without it the schema is published inline.
 * `x-keep-empty`: an empty value says something else than an absent one (a pointer in Go); only kinds of Kubernetes
 * itself need it, since other kinds keep every empty value.
 * `x-known-values`: of a string; published as its enum, while other values are not refused.
 * `x-max-bytes`: of a free-form object, the most bytes of its JSON.
 * `x-protobuf`: on an object of named members, the number of each as a field of its protobuf message. A kind whose
 * schema has it (and whose nested objects all do) is served in protobuf too.
 */
export interface FieldOptions {
  readonly description: string;
  readonly default?: unknown;
  readonly 'x-component'?: string;
  readonly 'x-keep-empty'?: true;
  readonly 'x-known-values'?: readonly string[];
  /** Values that no message may show. */
  readonly 'x-sensitive'?: true;
  readonly 'x-max-bytes'?: number;
  readonly 'x-protobuf'?: Readonly<Record<string, number>>;
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

export const TIME = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';
export const MICRO_TIME = 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime';

/** `value` describes the values; `maxLength` is theirs, in characters. */
export type MapOptions = FieldOptions & {
  readonly value?: string;
  readonly maxLength?: number;
  readonly maxProperties?: number;
};

/** A map of strings. */
export function stringMap({ value, maxLength, ...options }: MapOptions): TUnsafe<Record<string, string>> {
  const description = value ?? 'The value of the key.';
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', description, ...(maxLength !== undefined && { maxLength }) },
    ...options,
  });
}

/** A map of base64 strings (RFC 4648 section 4). */
export function bytesMap({ value, ...options }: MapOptions): TUnsafe<Record<string, string>> {
  const description = value ?? 'The value of the key, as base64.';
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', format: 'byte', description },
    ...options,
  });
}

/** RFC 3339, whole seconds. */
export function time(options: FieldOptions): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', format: 'date-time', 'x-component': TIME, ...options });
}

/** RFC 3339 with exactly six decimals. */
export function microTime(options: FieldOptions): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', format: 'date-time', 'x-component': MICRO_TIME, ...options });
}

/** One of a few strings. */
export function oneOf<const V extends readonly string[]>(
  values: V,
  options: FieldOptions,
): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });
}

/** An object whose members nobody looks at. */
export function freeForm(options: FieldOptions): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    ...options,
  });
}

/**
 * A field whose type is published as a component of its own. The component keeps its description; what the field says
 * of it stands beside the reference.
 */
export function component<S extends TObject>(schema: S, options: FieldOptions): TUnsafe<Static<S>> {
  const { description }: TObject & { readonly description?: string } = schema;
  const described = { 'x-component-description': description };
  return Type.Unsafe<Static<S>>({ ...schema, ...described, ...options });
}
