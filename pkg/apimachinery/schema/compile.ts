/** Everything that a kind's schema determines, compiled once for each kind. */
import { createHash } from 'node:crypto';
import type { JsonValue, KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { MICRO_TIME } from '../../../api/meta/v1/schema.js';
import { badRequest, quote, type FieldError } from '../errors.js';
import { compilePatchType, type StructType } from '../patch/strategicmergetype.js';
import { defaulter } from './defaults.js';
import { fieldError } from './fielderrors.js';
import { goForms } from './goforms.js';
import { decodeSentence, UINT8 } from './gotype.js';
import { jsonSchema, mapSchema, OBJECT_META, requiredFields, type JsonSchema } from './jsonschema.js';
import { outline } from './outline.js';
import { pruner, structPruner, type Pruner } from './prune.js';
import { hideSensitive, sensitivityOf, withNotedObject, type Sensitivity } from './sensitive.js';
import { compileAll, compileFirst, DISTINCT, type Validate } from './validator.js';

/** Objects with more members only get their first error, so that the response to a hostile body stays small. */
const MANY_MEMBERS = 5_000;
const MAX_ERRORS = 100;

export interface CompiledSchema {
  /** 16 hex digits; the same for schemas that accept, default and prune alike. */
  readonly fingerprint: string;
  /**
   * Findings on everything but metadata, with the messages of custom resources. Kubernetes' own kinds have none:
   * decoding checks their types, and their strategies everything else.
   */
  check(object: KubeObject): FieldError[];
  /** Whether the top-level types match the schema; a cheap check, after which {@link check} reports the errors. */
  fitsOutline(object: KubeObject): boolean;
  applyDefaults(object: KubeObject): void;
  /**
   * Removes unknown members and returns their paths, `spec.a[0].b`, in the order of the object. null becomes absent
   * (inside maps and lists: the empty value); optional empty fields of metadata, and of Kubernetes' own kinds, are
   * removed. Times, and bytes in Kubernetes' own kinds, get the text that Go writes for them.
   */
  prune(object: KubeObject): string[];
  /**
   * The error of decoding into Go structs: for metadata of every kind, and for all fields of Kubernetes' own kinds.
   * Undefined if there is none. null matches every type.
   */
  typeMismatch(object: KubeObject): string | undefined;
  /** The same; throws StatusError 400. */
  decodeTypes(object: KubeObject): void;
  /** Returns a copy of an object, or of a part from its root, without values that errors must not contain. */
  hideSensitive(value: JsonValue): JsonValue;
  /** Whether a place in an object is or holds what errors must not contain. */
  sensitivityOf(path: readonly string[]): Sensitivity;
  /** The merge rules of strategic merge patches for the kind. */
  patchType(): StructType;
}

export function compileSchema(definition: ResourceDefinition): CompiledSchema {
  const schema = jsonSchema(definition.schema);
  const sensitive = withNotedObject(schema);
  const { builtIn } = definition;
  const prune = rootPruner(schema, builtIn);
  const applyDefaults = defaulter(schema);
  const decoded = lazily(() => typesOnly(decodedSchema(schema, builtIn)));
  const types = lazily(() => compileFirst(decoded()));
  const rewrite = goForms({ properties: { ...schema.properties, metadata: OBJECT_META } }, builtIn);
  const check = builtIn ? () => [] : checker(schema);
  const typeMismatch = (object: KubeObject): string | undefined => {
    const validate = types();
    if (validate(object)) return undefined;
    const error = validate.errors?.[0];
    return error === undefined
      ? 'the object does not fit its type'
      : decodeSentence(error, definition.kind, decoded());
  };
  return {
    fingerprint: fingerprint(definition),
    check,
    fitsOutline: outline(schema),
    applyDefaults: (object) => applyDefaults?.(object),
    prune(object) {
      const unknown: string[] = [];
      prune(object, unknown);
      rewrite?.(object);
      return unknown;
    },
    typeMismatch,
    decodeTypes(object) {
      const mismatch = typeMismatch(object);
      if (mismatch === undefined) return;
      const { kind, version } = definition;
      throw badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${kind}: ${mismatch}`);
    },
    // Redacted JSON is JSON.
    hideSensitive: (value) => hideSensitive(sensitive, value) as JsonValue,
    sensitivityOf: (path) => sensitivityOf(sensitive, path),
    patchType: lazily(() => compilePatchType(definition)),
  };
}

const envelope: Readonly<Record<string, JsonSchema>> = {
  kind: { type: 'string' },
  apiVersion: { type: 'string' },
  metadata: { type: 'object' },
};

function rootPruner(schema: JsonSchema, builtIn: boolean): Pruner {
  const metadata = pruner(OBJECT_META, { dropEmpty: true, keepMarked: builtIn });
  const root: JsonSchema = {
    properties: { ...schema.properties, ...envelope },
    required: [...(schema.required ?? []), ...Object.keys(envelope)],
  };
  return structPruner(root, { dropEmpty: builtIn, keepMarked: true }, { metadata });
}

function checker(schema: JsonSchema): (object: KubeObject) => FieldError[] {
  const checked = mapSchema(schema, forValidation);
  const quick = lazily(() => compileFirst(checked));
  const thorough = lazily(() => compileAll(checked));
  return (object) => {
    let validate: Validate = quick();
    if (validate(object)) return [];
    if (countMembers(object, MANY_MEMBERS) < MANY_MEMBERS) {
      validate = thorough();
      validate(object);
    }
    return (validate.errors ?? [])
      .slice(0, MAX_ERRORS)
      .map(fieldError)
      .filter((error) => error !== undefined);
  };
}

/** Strategies check base64 and report the entry; pruning handles null. */
function forValidation(schema: JsonSchema): JsonSchema {
  const list = schema['x-kubernetes-list-type'];
  return {
    ...schema,
    ...(schema.required !== undefined && { required: requiredFields(schema) }),
    ...(schema.format === 'byte' && { format: undefined }),
    ...(schema['x-component'] === MICRO_TIME && { format: 'micro-time' }),
    ...(list === 'set' && { [DISTINCT]: [] }),
    ...(list === 'map' && { [DISTINCT]: schema['x-kubernetes-list-map-keys'] }),
  };
}

function decodedSchema(schema: JsonSchema, builtIn: boolean): JsonSchema {
  const properties = { ...(builtIn ? schema.properties : {}), metadata: OBJECT_META };
  return { type: 'object', properties };
}

/** Base64, or a list of numbers. */
const BYTES = {
  type: ['string', 'array', 'null'],
  items: { ...UINT8, type: ['integer', 'null'] },
};

/** The checks of Go's decoder: types, and formats with a Go type. Free-form values are text to it. */
function typesOnly(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, (each) => ({
    ...(each.type !== undefined &&
      each['x-kubernetes-preserve-unknown-fields'] !== true && { type: [each.type, 'null'].flat() }),
    ...(each.format === 'byte' && BYTES),
    ...(each.format !== undefined && {
      format: each['x-component'] === MICRO_TIME ? 'micro-time' : each.format,
    }),
    ...(each.properties !== undefined && { properties: each.properties }),
    ...(each.items !== undefined && { items: each.items }),
    ...(typeof each.additionalProperties === 'object' && { additionalProperties: each.additionalProperties }),
    ...(each['x-component'] !== undefined && { 'x-component': each['x-component'] }),
  }));
}

/** Keywords that do not affect stored objects. */
const ASIDE = [
  'description',
  'x-component-description',
  'x-known-values',
  'x-known-values',
  'x-protobuf',
  'x-sensitive',
];

function fingerprint(definition: ResourceDefinition): string {
  const bare = (schema: JsonSchema): JsonSchema =>
    mapSchema(schema, (each) =>
      Object.fromEntries(Object.entries(each).filter(([name]) => !ASIDE.includes(name))),
    );
  const facts = [definition.builtIn, bare(jsonSchema(definition.schema)), bare(OBJECT_META)];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

function countMembers(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: unknown[] = Object.values(value);
  let count = members.length;
  for (const member of members) {
    if (count >= limit) break;
    count += countMembers(member, limit - count);
  }
  return count;
}

function lazily<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}
