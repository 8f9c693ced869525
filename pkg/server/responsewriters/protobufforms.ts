/** Objects of the cache as protobuf, without their envelopes. */
import { apiVersionOf, type KubeObject } from '../../../api/resource.js';
import { PARTIAL_OBJECT_METADATA } from '../../apimachinery/encoding/protobuf/documents.js';
import type { TypeMeta } from '../../apimachinery/encoding/protobuf/envelope.js';
import type { Entry } from '../../cache/interface.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import type { Representation } from './representation.js';

/** The form of the objects in an answer. */
export interface ProtobufForm {
  readonly object: TypeMeta;
  readonly list: TypeMeta;
  /** Forms of equal name are equal. */
  readonly name: 'whole' | 'metadata';
  /** The bookmark of a watch is an object that has metadata alone. */
  encode(object: Pick<KubeObject, 'metadata'>): Buffer;
}

/** Throws RangeError for whole objects of a kind without protobuf: negotiation does not let these through. */
export function protobufForm(
  { definition }: ResourceStore,
  { metadata, protobuf }: Pick<Representation, 'metadata' | 'protobuf'>,
): ProtobufForm {
  if (metadata !== undefined) {
    const apiVersion = `meta.k8s.io/${metadata}`;
    return {
      name: 'metadata',
      object: { kind: 'PartialObjectMetadata', apiVersion },
      list: { kind: 'PartialObjectMetadataList', apiVersion },
      encode: (object) => PARTIAL_OBJECT_METADATA.encode(object),
    };
  }
  if (protobuf === undefined) throw new RangeError(`${definition.kind} has no protobuf form`);
  const apiVersion = apiVersionOf(definition);
  return {
    name: 'whole',
    object: { kind: definition.kind, apiVersion },
    list: { kind: `${definition.kind}List`, apiVersion },
    encode: (object) => protobuf.object.encode(object),
  };
}

/** Approximate maximum size of all cached forms, beyond which the cache is cleared. */
const KEPT_BYTES = 32 * 1024 * 1024;

let kept = { whole: new WeakMap<Entry, Buffer>(), metadata: new WeakMap<Entry, Buffer>() };
let keptBytes = 0;

/** The form of an object, made when first asked for and kept while memory for forms lasts. */
export function encodedEntry(form: ProtobufForm, entry: Entry): Buffer {
  const known = kept[form.name].get(entry);
  if (known !== undefined) return known;
  const encoded = form.encode(entry.object());
  keptBytes += encoded.length;
  if (keptBytes > KEPT_BYTES) {
    kept = { whole: new WeakMap(), metadata: new WeakMap() };
    keptBytes = encoded.length;
  }
  kept[form.name].set(entry, encoded);
  return encoded;
}
