/**
 * Write-only fields: clients send them and never get them back. They are stored in a private record in the same
 * commit. Only cluster-scoped kinds have them.
 */
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { invalid } from '../../apimachinery/errors.js';
import type { StoredRecord, Write, StorageFailure } from '../../storage/interface.js';
import type { ResourceStore } from '../resourcestore.js';
import type { PrivateChange, PrivateWrite, WriteOnlyValues } from './interface.js';

const NO_CHANGE: PrivateChange = { writes: [], changes: false, shown: {} };

/** Reads the private record of an object from the store, so it is at least as new as any known state of the object. */
export async function readPrivateRecord(
  store: ResourceStore,
  name: string,
): Promise<StoredRecord | undefined> {
  const { writeOnlyFields } = store.strategy;
  if (writeOnlyFields === undefined) return undefined;
  return (await store.storage.get(writeOnlyFields.recordKey(name))).record;
}

/** Extracts the write-only fields from an object. */
export function takeWriteOnlyFields({ strategy }: ResourceStore, object: KubeObject): WriteOnlyValues {
  return strategy.writeOnlyFields?.take(object) ?? {};
}

/** Returns `live` with those write-only fields of `config` that match the private record. */
export function withStoredMembers(
  { strategy: { writeOnlyFields }, pepper }: ResourceStore,
  live: KubeObject,
  config: JsonValue | KubeObject,
  privateRecord: StoredRecord | undefined,
): KubeObject {
  if (writeOnlyFields === undefined) return live;
  const sent = writeOnlyFields.take(membersOf(structuredClone(config)));
  const same = writeOnlyFields.same(sent, privateRecord, pepper);
  return Object.keys(same).length === 0 ? live : writeOnlyFields.put(live, same);
}

export function privateChange(
  { strategy: { writeOnlyFields }, pepper }: ResourceStore,
  write: Omit<PrivateWrite, 'pepper'>,
): PrivateChange {
  return writeOnlyFields?.keep({ ...write, pepper }) ?? NO_CHANGE;
}

export function deletePrivateRecord(
  { strategy }: ResourceStore,
  privateRecord: StoredRecord | undefined,
): readonly Write[] {
  return privateRecord === undefined ? [] : (strategy.writeOnlyFields?.forget(privateRecord) ?? []);
}

/** Serializes the response of a write, with values that only this response shows. */
export function shownBytes(
  { strategy: { writeOnlyFields }, codec }: ResourceStore,
  canonical: Buffer,
  object: KubeObject,
  shown: WriteOnlyValues,
): Buffer {
  if (writeOnlyFields === undefined || Object.keys(shown).length === 0) return canonical;
  return codec.encode(writeOnlyFields.put(object, shown));
}

/** The 422 error if a write conflicts with a private record of another object. */
export function privateConflict(
  store: ResourceStore,
  name: string,
  failure: StorageFailure,
): Error | undefined {
  if (failure.code !== 'exists') return undefined;
  const finding = store.strategy.writeOnlyFields?.taken(failure.key);
  return finding === undefined ? undefined : invalid(store.definition, name, [finding]);
}
