import type { KubeObject } from '../../../api/resource.js';
import { slices } from '../../apimachinery/slices.js';
import type { Entry } from '../../cache/interface.js';
import type { StoredRecord } from '../../storage/interface.js';
import type { Admitted } from '../admission.js';
import type { Consent } from './preconditionset.js';
import { commitObject, tryEffects } from './effects.js';
import { isDue } from '../object/graceful.js';
import { timestamp } from '../object/metadata.js';
import type { PrivateChange } from '../object/writeonlyfields.js';
import { forgetKept, shownBytes } from '../object/writeonlyfields.js';
import { fitted } from '../object/record.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { storeKey } from './resourcestore.js';
import type { Requester } from '../strategy.js';

/** `applied`: the object is refused where its managedFields make it too large. */
export interface ChangeOptions {
  readonly previous: KubeObject;
  readonly own: PrivateChange;
  readonly kept: StoredRecord | undefined;
  readonly consent: Consent;
  readonly requester: Requester;
  readonly dryRun: boolean;
  readonly applied: boolean;
}

/**
 * Commits `next` in the place of `live`, with all that belongs to it; an object that nothing holds any more is removed.
 * Rejects with StorageError, GroundsLost and StatusError.
 */
export async function commitUpdate(
  store: ResourceStore,
  next: Admitted,
  live: Entry,
  { previous, own, kept, consent, requester, dryRun, applied }: ChangeOptions,
): Promise<Stored> {
  const pause = slices();
  const canonical = fitted(store, next, applied);
  await pause();
  const unchanged = store.codec.serve(canonical, live.revision);
  const asItWas = { revision: live.revision, bytes: unchanged };
  if (unchanged.equals(live.bytes)) return asItWas;
  const held = (next.metadata.finalizers ?? []).length > 0 || (store.strategy.holds?.(next) ?? false);
  const removed = isDue(next.metadata) && !held;
  const change = { next: removed ? undefined : next, previous, requester, now: timestamp(), dryRun };
  if (dryRun) {
    await tryEffects(store, change);
    return asItWas;
  }
  const key = storeKey(store, live.namespace, live.name);
  const ownWrites = removed ? forgetKept(store, kept) : own.writes;
  const write = removed ? { key } : { key, value: store.codec.seal(canonical) };
  const writes = [{ ...write, expect: live.revision }, ...ownWrites, ...consent.writes];
  const { revisions } = await consent.settle(commitObject(store, writes, consent.guards, change));
  const revision = revisions[0] as number;
  const shown = shownBytes(store, canonical, next, own.shown);
  return { revision, bytes: store.codec.serve(shown, removed ? live.revision : revision) };
}
