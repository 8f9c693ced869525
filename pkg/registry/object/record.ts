/**
 * Stored values: the object's canonical JSON without resourceVersion, a newline, and the fingerprint of the schema
 * that wrote it. A value of another fingerprint is converted once, when it enters the cache.
 */
import { tooLarge } from '../../apimachinery/errors.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { objectOfJson } from '../../apimachinery/encoding/objectjson.js';
import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../api/resource.js';
import {
  encodeObject,
  encodeObjectSteps,
  headLength,
  spliceResourceVersion,
} from '../../apimachinery/encoding/canonical.js';
import { inSlices } from '../../apimachinery/eventloop/slices.js';
import type { CompiledSchema } from '../../apimachinery/schema/compile.js';
import { MAX_VALUE_BYTES } from '../../storage/interface.js';
import { MAX_STORED_DEPTH, parseJson } from '../../apimachinery/encoding/depth.js';

const NEWLINE = 0x0a;
/** The newline and the fingerprint after the object. */
const FINGERPRINT_BYTES = 17;

/** Converts between objects and the stored values of one kind. */
export interface RecordCodec {
  /** Canonical JSON without resourceVersion. */
  encode(object: KubeObject): Buffer;
  /** The value to store for canonical JSON. */
  seal(canonical: Buffer): Buffer;
  /** Serializes canonical JSON at a revision. */
  serve(canonical: Buffer, revision: number): Buffer;
  /** Serializes a stored value at a revision. Throws on a value that no release wrote. */
  decode(value: Buffer, revision: number): Buffer;
  /** Replaces revision `from` of a serialized object with `to`. */
  restamp(bytes: Buffer, from: number, to: number): Buffer;
  /** The offset of `"metadata"` in serialized objects: items of built-in lists begin there. */
  readonly metadataOffset: number;
}

export function recordCodec(definition: ResourceDefinition, schema: CompiledSchema): RecordCodec {
  const head = headLength(definition.kind, apiVersionOf(definition));
  const trailer = Buffer.from(`\n${schema.fingerprint}`);
  const serve = (canonical: Buffer, revision: number): Buffer =>
    spliceResourceVersion(canonical, head, revision);
  return {
    encode: encodeObject,
    seal: (canonical) => Buffer.concat([canonical, trailer]),
    serve,
    restamp: restampAt(head),
    metadataOffset: head - '"metadata":{'.length,
    decode(value, revision) {
      const end = value.length - trailer.length;
      if (end > 0 && value.compare(trailer, 0, trailer.length, end) === 0)
        return serve(value.subarray(0, end), revision);
      return serve(encodeObject(upgrade(value, schema)), revision);
    },
  };
}

/** The codec for objects of another API server: canonical JSON, with unknown fields. */
export function foreignCodec(definition: ResourceDefinition): RecordCodec {
  const head = headLength(definition.kind, apiVersionOf(definition));
  const serve = (canonical: Buffer, revision: number): Buffer =>
    spliceResourceVersion(canonical, head, revision);
  return {
    encode: encodeObject,
    seal: (canonical) => canonical,
    serve,
    restamp: restampAt(head),
    metadataOffset: head - '"metadata":{'.length,
    decode: serve,
  };
}

/** Replaces the resourceVersion, the first field of metadata. */
function restampAt(head: number): RecordCodec['restamp'] {
  return (bytes, from, to) => {
    const after = head + `"resourceVersion":"${from}",`.length;
    return spliceResourceVersion(Buffer.concat([bytes.subarray(0, head), bytes.subarray(after)]), head, to);
  };
}

/** Converts a value of another release to this release's schema. */
function upgrade(value: Buffer, schema: CompiledSchema): KubeObject {
  const end = value.lastIndexOf(NEWLINE);
  const text = value.toString('utf8', 0, end < 0 ? value.length : end);
  const object = objectOfJson(membersOf(parseJson(text, MAX_STORED_DEPTH)));
  schema.prune(object);
  schema.applyDefaults(object);
  return object;
}

/** What {@link fitted} needs of a store. */
interface Sized {
  readonly strategy: { readonly maxBytes?: number };
}

/**
 * Encodes an object as canonical JSON. If it is too large for its kind or for the store, managedFields are dropped, unless
 * they are needed (`k8s.io/apiserver/pkg/endpoints/handlers`: isTooLargeError). Throws StatusError 413 for an object above
 * the limit of its kind.
 */
export async function fitted(
  { strategy }: Sized,
  object: KubeObject,
  managedFieldsNeeded: boolean,
): Promise<Buffer> {
  const stored = MAX_VALUE_BYTES - FINGERPRINT_BYTES;
  const limit = Math.min(strategy.maxBytes ?? stored, stored);
  const canonical = await inSlices(encodeObjectSteps(object));
  if (canonical.length <= limit) return canonical;
  const { managedFields: _, ...metadata } = object.metadata;
  const reduced = managedFieldsNeeded
    ? canonical
    : await inSlices(encodeObjectSteps({ ...object, metadata }));
  if (reduced.length > limit && strategy.maxBytes !== undefined) throw tooLarge(strategy.maxBytes);
  return reduced;
}
