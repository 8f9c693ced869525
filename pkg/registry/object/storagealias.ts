/** Storage aliases: one record is served as two kinds, such as events of core/v1 and events.k8s.io/v1. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import type { RecordCodec } from './record.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Converts a kind's objects to the stored kind and back. Both functions return a copy, which may share parts. */
export interface StorageAlias {
  /** The stored kind, of the same scope. */
  readonly of: ResourceDefinition;
  /** Converts to the stored kind, with all its defaults. */
  stored(object: KubeObject): KubeObject;
  /** Converts from the stored kind, whose defaults were applied. */
  served(object: KubeObject): KubeObject;
}

/**
 * `own` is the codec of the served kind, `storedCodec` that of `form.of`. Entries of managedFields keep the version that
 * wrote them; a write omits those of the other version, as in kube-apiserver.
 */
export function storageAliasCodec(
  own: RecordCodec,
  storedCodec: RecordCodec,
  form: StorageAlias,
): RecordCodec {
  return {
    ...own,
    seal: (canonical) => storedCodec.seal(storedCodec.encode(form.stored(parse(canonical)))),
    decode: (value, revision) =>
      own.serve(own.encode(form.served(parse(storedCodec.decode(value, revision)))), revision),
  };
}

const parse = (bytes: Buffer): KubeObject => parseStored<KubeObject>(bytes);
