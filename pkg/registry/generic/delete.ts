/** DELETE of one object: preconditions, garbage-collection finalizers, finalizers that hold, removal. */
import type { KubeObject, ObjectKey } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import {
  methodNotAllowed,
  notFound,
  preconditionFailed,
  resourceDetails,
  type Status,
} from '../../apimachinery/errors.js';
import type { DeleteOptions } from '../../apimachinery/options/delete.js';
import type { Entry } from '../../cache/interface.js';
import type { WriteContextOptions } from './create.js';
import { checkGracePeriod, graceOf, type Grace } from '../object/graceful.js';
import { guaranteedUpdate, type LiveState, type StepResult } from '../transaction/guaranteedupdate.js';
import { timestamp } from '../object/metadata.js';
import { deletePrivateRecord, readPrivateRecord } from '../object/writeonlyfields.js';
import { storeKey, type ResourceStore, type Stored } from '../resourcestore.js';
import type { Requirements } from '../transaction/effects.js';
import { NO_EFFECTS, effectsOf, transactionOf, type OwnEffects } from '../transaction/transaction.js';
import { findUndecryptable, isPlaceholder, undecryptableWrites } from './undecryptable.js';
import { undecryptableError } from '../undecryptableerror.js';

const COLLECTED = ['orphan', 'foregroundDeletion'];

/**
 * `waits`: the object remains until its finalizers are removed or its grace period ends. `gone`: it is removed, and
 * the response is a Status. `as before`: it is removed at the time that an earlier delete set. `removed`: it is
 * removed, and the response is the object at the revision of its deletion. `lost`: it could not be decrypted, and is
 * removed. `before`: the object before the delete.
 */
export type Deleted =
  | { readonly outcome: 'waits'; readonly object: Stored; readonly before: Stored }
  | {
      readonly outcome: 'gone' | 'as before';
      readonly status: Status;
      readonly before: Stored;
      readonly object: undefined;
    }
  | { readonly outcome: 'removed'; readonly object: Stored; readonly before: Stored }
  | { readonly outcome: 'lost'; readonly status: Status; readonly object: undefined };

/** Throws StatusError: 403, 404, 409 (preconditions), 422 (grace period), 500 ServerTimeout. */
export async function deleteObject(
  store: ResourceStore,
  key: ObjectKey,
  deletion: DeleteOptions,
  options: WriteContextOptions,
): Promise<Deleted> {
  const { namespace, name } = key;
  store.strategy.checkDelete?.(name);
  checkGracePeriod(store.definition, deletion);
  const queues = deletion.preconditions?.resourceVersion === undefined;
  const target = {
    operation: 'delete',
    namespace,
    name,
    user: options.requester.name,
    writer: options.requester,
    queues,
  } as const;
  return guaranteedUpdate(store, target, (state) =>
    state.live === undefined || isPlaceholder(store, state.live)
      ? deleteUndecryptable(store, key, deletion, options)
      : deleteStep(store, state.live, state, deletion, options),
  );
}

/** Like {@link deleteObject}, for an object that cannot be read, of a kind without DELETE. Also throws 405. */
export function deleteUnreadable(
  store: ResourceStore,
  key: ObjectKey,
  deletion: DeleteOptions,
  options: WriteContextOptions,
): Promise<Deleted> {
  const { namespace, name } = key;
  const { requester } = options;
  const target = {
    operation: 'delete',
    namespace,
    name,
    user: requester.name,
    writer: requester,
    queues: true,
  } as const;
  return guaranteedUpdate(store, target, ({ live }) => {
    if (live !== undefined && !isPlaceholder(store, live)) throw methodNotAllowed();
    return deleteUndecryptable(store, key, deletion, options);
  });
}

/** Deletes an undecryptable object if the request says to ignore read errors. */
async function deleteUndecryptable(
  store: ResourceStore,
  key: ObjectKey,
  { ignoreStoreReadErrorWithClusterBreakingPotential: ignored }: DeleteOptions,
  { dryRun }: WriteContextOptions,
): Promise<StepResult<Deleted>> {
  const lost = findUndecryptable(store, key);
  if (lost === undefined) throw notFound(store.definition, key.name);
  if (ignored !== true) throw undecryptableError(lost);
  const details = resourceDetails(store.definition, key.name);
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
  const answer = (): Deleted => ({ outcome: 'lost', status, object: undefined });
  // The store cannot read it either.
  if (dryRun) return { answer, final: true };
  const own = await undecryptableWrites(store, key, lost);
  return { transaction: transactionOf(own, [], NO_EFFECTS), answer };
}

async function deleteStep(
  store: ResourceStore,
  live: Entry,
  { met, bypassCache }: Omit<LiveState, 'live'>,
  deletion: DeleteOptions,
  { requester, dryRun }: WriteContextOptions,
): Promise<StepResult<Deleted>> {
  const previous = live.object();
  checkPreconditions(store, live, deletion);
  const attributes = {
    definition: store.definition,
    operation: 'DELETE',
    subresource: '',
    namespace: live.namespace,
    name: live.name,
    requester,
    dryRun,
    bypassCache,
  } as const;
  const required = await store.admission.validate(attributes, undefined, previous);
  const grace = graceOf(store.definition, previous.metadata, deletion);
  if (grace.outcome === 'as before')
    return { answer: () => ({ ...accepted(store, live), outcome: 'as before' }) };
  const finalizers = collectionFinalizers(previous.metadata.finalizers ?? [], deletion);
  const free = finalizers.length === 0 && store.strategy.holds === undefined;
  const marked = free && grace.outcome === 'now' ? undefined : mark(store, previous, deletion, grace);
  const held =
    marked !== undefined &&
    ((marked.metadata.finalizers ?? []).length > 0 || (store.strategy.holds?.(marked) ?? false));
  const next = held || grace.outcome === 'at' ? marked : undefined;
  const effectsNow = (): Promise<OwnEffects> =>
    effectsOf(store, met, { next, previous, requester, now: timestamp(), dryRun });
  if (next !== undefined) return keepResult(store, live, next, { required, dryRun, effectsNow });
  return removalResult(store, live, { required, dryRun, effectsNow });
}

function checkPreconditions(store: ResourceStore, live: Entry, { preconditions }: DeleteOptions): void {
  const check = (which: 'UID' | 'ResourceVersion', wanted: string | undefined, found: string, so: string) => {
    if (wanted === undefined || wanted === found) return;
    const why = `the ${which} in the precondition (${wanted}) does not match the ${which} in record (${found}). The object might have been ${so}`;
    throw (
      store.strategy.preconditionFailed?.(live.name, which, wanted, found) ??
      preconditionFailed(store.definition, live.name, why)
    );
  };
  check('UID', preconditions?.uid, live.object().metadata.uid ?? '', 'deleted and then recreated');
  check('ResourceVersion', preconditions?.resourceVersion, String(live.revision), 'modified');
}

/** Returns the object that is stored until its removal. */
function mark(store: ResourceStore, previous: KubeObject, deletion: DeleteOptions, grace: Grace): KubeObject {
  const object = copyJson(previous);
  const meta = object.metadata;
  delete meta.resourceVersion;
  const finalizers = collectionFinalizers(meta.finalizers ?? [], deletion);
  if (finalizers.length > 0) meta.finalizers = finalizers;
  else delete meta.finalizers;
  if (meta.deletionTimestamp === undefined && meta.generation !== undefined && meta.generation > 0)
    meta.generation += 1;
  const shortened = (meta.deletionGracePeriodSeconds ?? 0) > 0;
  if (grace.outcome === 'at') {
    meta.deletionTimestamp = grace.time;
    meta.deletionGracePeriodSeconds = grace.seconds;
  } else if (meta.deletionTimestamp === undefined || shortened) {
    meta.deletionTimestamp = sooner(meta.deletionTimestamp, timestamp());
    if (store.strategy.holds === undefined) meta.deletionGracePeriodSeconds = 0;
  }
  store.strategy.prepareForDelete?.(object);
  return object;
}

/** Compares RFC 3339 times in UTC, whose order as text is their order in time. */
const sooner = (one: string | undefined, other: string): string =>
  one !== undefined && one < other ? one : other;

/** Returns the finalizers with those of the propagation policy; without a policy they are unchanged. */
function collectionFinalizers(present: readonly string[], deletion: DeleteOptions): string[] {
  const policy =
    deletion.propagationPolicy ??
    (deletion.orphanDependents === undefined
      ? undefined
      : deletion.orphanDependents
        ? 'Orphan'
        : 'Background');
  if (policy === undefined) return [...present];
  const rest = present.filter((finalizer) => !COLLECTED.includes(finalizer));
  if (policy === 'Orphan') return [...rest, 'orphan'];
  return policy === 'Foreground' ? [...rest, 'foregroundDeletion'] : rest;
}

interface DeletionParts {
  readonly required: readonly Requirements[];
  readonly dryRun: boolean;
  readonly effectsNow: () => Promise<OwnEffects>;
}

/** Stores `marked` in place of the object. */
async function keepResult(
  store: ResourceStore,
  live: Entry,
  marked: KubeObject,
  { required, dryRun, effectsNow }: DeletionParts,
): Promise<StepResult<Deleted>> {
  const canonical = store.codec.encode(marked);
  const waits = (revision: number): Deleted => ({
    outcome: 'waits',
    object: { revision, bytes: store.codec.serve(canonical, revision) },
    before: live,
  });
  const unchanged = store.codec.serve(canonical, live.revision).equals(live.bytes);
  if (unchanged && !dryRun) return { answer: () => waits(live.revision) };
  const effects = await effectsNow();
  if (dryRun) return { answer: () => waits(live.revision) };
  const key = storeKey(store, live);
  const write = { key, value: store.codec.seal(canonical), expect: live.revision };
  return {
    transaction: transactionOf([write], required, effects),
    answer: ([revision = 0]) => waits(revision),
  };
}

async function removalResult(
  store: ResourceStore,
  live: Entry,
  { required, dryRun, effectsNow }: DeletionParts,
): Promise<StepResult<Deleted>> {
  const answer = ([revision = live.revision]: readonly number[]): Deleted => {
    if (store.strategy.returnsDeleted !== true) return accepted(store, live);
    const bytes = store.codec.restamp(live.bytes, live.revision, revision);
    return { outcome: 'removed', object: { revision, bytes }, before: live };
  };
  const effects = await effectsNow();
  // The store cannot read it either.
  if (dryRun) return { answer, final: true };
  const key = storeKey(store, live);
  const privateWrites = deletePrivateRecord(store, await readPrivateRecord(store, live.name));
  const own = [{ key, expect: live.revision }, ...privateWrites] as const;
  return { transaction: transactionOf(own, required, effects), answer };
}

/** The Status of an accepted delete. */
function accepted(
  store: ResourceStore,
  live: Entry,
): Extract<Deleted, { readonly outcome: 'gone' | 'as before' }> {
  const details = { ...resourceDetails(store.definition, live.name), uid: live.object().metadata.uid };
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
  return { outcome: 'gone', status, object: undefined, before: live };
}
