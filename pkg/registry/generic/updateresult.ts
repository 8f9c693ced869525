import type { KubeObject } from '../../../api/resource.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import type { Entry } from '../../cache/interface.js';
import type { StoredRecord } from '../../storage/interface.js';
import type { Admitted } from '../admission.js';
import { isDue } from '../object/graceful.js';
import type { LiveState, StepResult } from '../transaction/guaranteedupdate.js';
import { timestamp } from '../object/metadata.js';
import type { PrivateChange } from '../object/interface.js';
import { deletePrivateRecord, shownBytes } from '../object/writeonlyfields.js';
import { fitted } from '../object/record.js';
import { storeKey, type ResourceStore, type Stored } from '../resourcestore.js';
import type { Requester } from '../requester.js';
import type { Requirements } from '../transaction/effects.js';
import { effectsOf, transactionOf } from '../transaction/transaction.js';

/** `applied`: whether the object is refused if managedFields make it too large. */
export interface ChangeOptions {
  readonly previous: KubeObject;
  readonly own: PrivateChange;
  readonly privateRecord: StoredRecord | undefined;
  readonly required: readonly Requirements[];
  readonly requester: Requester;
  readonly dryRun: boolean;
  readonly applied: boolean;
}

/**
 * The transaction of an update: `next` replaces `live`, with its effects; an object that is due and without
 * finalizers is removed. Throws the StatusError of effects.
 */
export async function updateResult(
  store: ResourceStore,
  next: Admitted,
  live: Entry,
  { previous, own, privateRecord, required, requester, dryRun, applied }: ChangeOptions,
  met: LiveState['met'],
): Promise<StepResult<Stored>> {
  const pause = slices();
  const canonical = await fitted(store, next, applied);
  await pause();
  const unchanged = store.codec.serve(canonical, live.revision);
  const asItWas = { answer: () => ({ revision: live.revision, bytes: unchanged }) };
  if (unchanged.equals(live.bytes)) return asItWas;
  const held = (next.metadata.finalizers ?? []).length > 0 || (store.strategy.holds?.(next) ?? false);
  const removed = isDue(next.metadata) && !held;
  const change = { next: removed ? undefined : next, previous, requester, now: timestamp(), dryRun };
  const effects = await effectsOf(store, met, change);
  if (dryRun) return asItWas;
  const key = storeKey(store, live);
  const ownWrites = removed ? deletePrivateRecord(store, privateRecord) : own.writes;
  const write = removed ? { key } : { key, value: store.codec.seal(canonical) };
  return {
    transaction: transactionOf([{ ...write, expect: live.revision }, ...ownWrites], required, effects),
    answer([revision = 0]) {
      const shown = shownBytes(store, canonical, next, own.shown);
      return { revision, bytes: store.codec.serve(shown, removed ? live.revision : revision) };
    },
  };
}
