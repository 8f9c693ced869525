/** Everything that a kind's schema decides about objects, prepared once per kind. */
import { createHash } from 'node:crypto';
import type { JsonValue, KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { MICRO_TIME } from '../../../api/meta/v1/schema.js';
import type { FieldError } from '../errors.js';
import { badRequest, quote } from '../errors.js';
import type { StructType } from '../patch/strategicmergetype.js';
import { compilePatchType } from '../patch/strategicmergetype.js';
import { defaulter } from './defaults.js';
import { fieldError } from './fielderrors.js';
import { goForms } from './goforms.js';
import { decodeSentence, UINT8 } from './gotype.js';
import type { JsonSchema } from './jsonschema.js';
import { jsonSchema, mapSchema, OBJECT_META, requiredFields } from './jsonschema.js';
import { outline } from './outline.js';
import type { Pruner } from './prune.js';
import { pruner, structPruner } from './prune.js';
import { hideSensitive } from './sensitive.js';
import type { ValidateFunction } from './validator.js';
import { compileAll, compileFirst, DISTINCT } from './validator.js';

/** Objects with more members than this get their first error only, so that a hostile body is not echoed a thousandfold. */
const MANY_MEMBERS = 5_000;
const MOST_ERRORS = 100;

export interface CompiledSchema {
  /** 16 hex digits; the same for schemas that accept, default and prune alike. */
  readonly fingerprint: string;
  /**
   * Findings on everything but metadata, worded as for custom resources. Kinds of Kubernetes itself have none: their
   * types are the matter of decoding, all else that of their strategies.
   */
  check(object: KubeObject): FieldError[];
  /** Whether the outermost types are the schema's, told at little cost: where they are not, {@link check} may tell why. */
  fitsOutline(object: KubeObject): boolean;
  applyDefaults(object: KubeObject): void;
  /**
   * Removes unknown members and returns their paths, `spec.a[0].b`, in the order of the object. null becomes absent
   * (inside maps and lists: the empty value); optional empty fields of metadata, and of kinds of Kubernetes itself, go.
   * Times, and bytes in kinds of Kubernetes itself, get the text that Go writes for them.
   */
  prune(object: KubeObject): string[];
  /**
   * Why a Go struct could not take the object: metadata of every kind, and the rest of kinds of Kubernetes itself.
   * undefined if it could. null is of every type.
   */
  typeMismatch(object: KubeObject): string | undefined;
  /** The same, thrown as StatusError 400. */
  decodeTypes(object: KubeObject): void;
  /** A copy of an object, or of a part from its root, without the values that no message may show. */
  hideSensitive(value: JsonValue): JsonValue;
  /** How strategic merge patches merge objects of the kind. */
  patchType(): StructType;
}

export function compileSchema(definition: ResourceDefinition): CompiledSchema {
  const schema = jsonSchema(definition.schema);
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
    // What hides values of JSON leaves JSON.
    hideSensitive: (value) => hideSensitive(schema, value) as JsonValue,
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
    let validate: ValidateFunction = quick();
    if (validate(object)) return [];
    if (countMembers(object, MANY_MEMBERS) < MANY_MEMBERS) {
      validate = thorough();
      validate(object);
    }
    return (validate.errors ?? [])
      .slice(0, MOST_ERRORS)
      .map(fieldError)
      .filter((error) => error !== undefined);
  };
}

/** Base64 is checked by strategies, which name the entry; pruning has dealt with null. */
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

/** What Go's decoder looks at: types and the formats that have a type of their own. */
function typesOnly(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, (each) => ({
    ...(each.type !== undefined && { type: [each.type, 'null'].flat() }),
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

/** Keywords that decide nothing about what is stored. */
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
