/**
 * What is taken from clients and never served: write-only members of an object, kept in a record of its own that is
 * written in the same commit. Only cluster-scoped kinds have such.
 */
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { invalid } from '../../apimachinery/errors.js';
import type { StoredRecord, Write, StorageFailure } from '../../storage/interface.js';
import type { ResourceStore } from '../generic/resourcestore.js';
import type { PrivateChange, PrivateWrite, Sent } from './interface.js';

const NO_CHANGE: PrivateChange = { writes: [], changes: false, shown: {} };

/** The private record of an object, read from the store: at least as new as any state of the object known before. */
export async function readPrivateRecord(
  store: ResourceStore,
  name: string,
): Promise<StoredRecord | undefined> {
  const { writeOnlyFields } = store.strategy;
  if (writeOnlyFields === undefined) return undefined;
  return (await store.storage.get(writeOnlyFields.recordKey(name))).record;
}

/** Takes the write-only members out of an object whose fields are tracked. */
export function takeSent({ strategy }: ResourceStore, object: KubeObject): Sent {
  return strategy.writeOnlyFields?.take(object) ?? {};
}

/** `live` as it would be if it held those members that `config` has with the value that is kept. */
export function withStoredMembers(
  { strategy: { writeOnlyFields }, pepper }: ResourceStore,
  live: KubeObject,
  config: JsonValue | KubeObject,
  kept: StoredRecord | undefined,
): KubeObject {
  if (writeOnlyFields === undefined) return live;
  const sent = writeOnlyFields.take(membersOf(structuredClone(config)));
  const same = writeOnlyFields.same(sent, kept, pepper);
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
  kept: StoredRecord | undefined,
): readonly Write[] {
  return kept === undefined ? [] : (strategy.writeOnlyFields?.forget(kept) ?? []);
}

/** The bytes that answer a write: those of the object, with what this answer alone shows. */
export function shownBytes(
  { strategy: { writeOnlyFields }, codec }: ResourceStore,
  canonical: Buffer,
  object: KubeObject,
  shown: Sent,
): Buffer {
  if (writeOnlyFields === undefined || Object.keys(shown).length === 0) return canonical;
  return codec.encode(writeOnlyFields.put(object, shown));
}

/** 422 where a write failed because of what another object keeps. */
export function privateConflict(
  store: ResourceStore,
  name: string,
  failure: StorageFailure,
): Error | undefined {
  if (failure.code !== 'exists') return undefined;
  const finding = store.strategy.writeOnlyFields?.taken(failure.key);
  return finding === undefined ? undefined : invalid(store.definition, name, [finding]);
}
