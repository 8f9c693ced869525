/** The record in a store with its cluster and its mark, which grows with writes. */
import type { Storage } from '../../storage/interface.js';
import { IDENTITY_KEY } from '../../clusteridentity/cluster.js';
import type { Binding, FoundStore } from './storemismatch.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Outside `registry/`, so no code path that serves objects reaches it. */
export const BINDING_KEY = 'identity/host';

export interface FoundBinding extends FoundStore {
  /** Of the record; undefined if it does not exist. */
  readonly written: number | undefined;
}

/** Throws StorageError. */
export async function findBinding(storage: Storage): Promise<FoundBinding> {
  const { record, revision } = await storage.get(BINDING_KEY);
  if (record === undefined) {
    const identity = await storage.get(IDENTITY_KEY);
    return { empty: identity.record === undefined, binding: undefined, revision, written: undefined };
  }
  return { empty: false, binding: decode(record.value), revision, written: record.revision };
}

/** Answers the record's revision. Throws StorageError, `conflict` or `exists` where another server came first. */
export async function writeBinding(
  storage: Storage,
  binding: Binding,
  written: number | undefined,
): Promise<number> {
  const value = Buffer.from(JSON.stringify({ format: FORMAT, ...binding }));
  const { revisions } = await storage.commit([{ key: BINDING_KEY, value, expect: written ?? 'absent' }]);
  return revisions[0]!;
}

const FORMAT = 1;

function decode(value: Buffer): Binding {
  const { format, id, cluster, mark } = parseStored<Binding & { format: number }>(value);
  if (format === FORMAT) return { id, cluster, mark };
  throw new Error(`the store's binding has format ${format}, written by a newer release than this one`);
}
