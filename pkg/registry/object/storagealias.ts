/** One record that is served as two kinds: events, of core/v1 and of events.k8s.io/v1. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import type { RecordCodec } from './record.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** How a kind's objects are kept as those of another kind. Both functions give a copy that may share what it holds. */
export interface StorageAlias {
  /** The kind as which the objects are kept; of the same scope. */
  readonly of: ResourceDefinition;
  /** As the other kind has it, with all its defaults. */
  stored(object: KubeObject): KubeObject;
  /** As this kind has it, of an object of the other with all its defaults. */
  served(object: KubeObject): KubeObject;
}

/**
 * `own` is the codec of the kind that is served, `kept` that of `form.of`. Entries of managedFields keep the version that
 * they were written in, whichever form is read; a write leaves out those of the
 * other one, as in kube-apiserver.
 */
export function storageAliasCodec(own: RecordCodec, kept: RecordCodec, form: StorageAlias): RecordCodec {
  return {
    ...own,
    seal: (canonical) => kept.seal(kept.encode(form.stored(parse(canonical)))),
    decode: (value, revision) =>
      own.serve(own.encode(form.served(parse(kept.decode(value, revision)))), revision),
  };
}

const parse = (bytes: Buffer): KubeObject => parseStored<KubeObject>(bytes);
