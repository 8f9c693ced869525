/** DELETE of one object: preconditions, garbage-collection finalizers, finalizers that hold, removal. */
import type { KubeObject } from '../../../api/resource.js';
import { copyJson } from '../../apimachinery/encoding/copyjson.js';
import type { Status } from '../../apimachinery/errors.js';
import {
  StatusError,
  notFound,
  preconditionFailed,
  resourceDetails,
  staleResourceVersion,
} from '../../apimachinery/errors.js';
import type { DeleteOptions } from '../../apimachinery/options/delete.js';
import type { Entry } from '../../cache/interface.js';
import type { Undecryptable } from '../../storage/encryption/interface.js';
import { StorageError } from '../../storage/interface.js';
import { Contention } from './contention.js';
import type { WriteContextOptions } from './create.js';
import { translate } from './create.js';
import type { Change } from './effects.js';
import { commitObject, tryEffects } from './effects.js';
import type { Grace } from '../object/graceful.js';
import { checkGracePeriod, graceOf } from '../object/graceful.js';
import { timestamp } from '../object/metadata.js';
import { forgetKept, readKept } from '../object/writeonlyfields.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { entryOf, readStored, storeKey } from './resourcestore.js';
import { deleteUndecryptable, findUndecryptable, undecryptableError } from './undecryptable.js';

const ATTEMPTS = 100;
const COLLECTED = ['orphan', 'foregroundDeletion'];

/**
 * `waits`: the object that waits for its finalizers or its time. `gone`: word that it is gone; `as before`: that it goes
 * at the time that was said before. `removed`: it is gone too, and the kind answers the object, at the revision of its
 * deletion. `lost`: it could not be decrypted, and is gone. `before`: as it was.
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
  namespace: string,
  name: string,
  deletion: DeleteOptions,
  options: WriteContextOptions,
): Promise<Deleted> {
  store.strategy.checkDelete?.(name);
  checkGracePeriod(store.definition, deletion);
  const lost = findUndecryptable(store, namespace, name);
  if (lost !== undefined) return deleteLost(store, namespace, name, deletion, lost);
  const queues = deletion.preconditions?.resourceVersion === undefined;
  const contention = new Contention(store, { namespace, name, user: options.requester.name, queues });
  try {
    return await deleteInTurn(store, namespace, name, deletion, { ...options, contention });
  } finally {
    contention.end();
  }
}

/** What cannot be decrypted goes for those who say that they know what they do. */
async function deleteLost(
  store: ResourceStore,
  namespace: string,
  name: string,
  deletion: DeleteOptions,
  lost: Undecryptable,
): Promise<Deleted> {
  if (deletion.ignoreStoreReadErrorWithClusterBreakingPotential !== true) throw undecryptableError(lost);
  try {
    const status = await deleteUndecryptable(store, namespace, name, lost);
    return { outcome: 'lost', status, object: undefined };
  } catch (error) {
    throw translate(store, { kind: '', apiVersion: '', metadata: { name } }, error, 'delete');
  }
}

async function deleteInTurn(
  store: ResourceStore,
  namespace: string,
  name: string,
  deletion: DeleteOptions,
  options: WriteContextOptions & { readonly contention: Contention },
): Promise<Deleted> {
  const { contention } = options;
  if (contention.mustWait) await contention.enter();
  const cached = store.cache.latest().get(store.definition.namespaced ? `${namespace}/${name}` : name);
  let live = contention.newer(cached);
  let certain = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      if (live === undefined) throw notFound(store.definition, name);
      return await deleteOnce(store, live, deletion, options);
    } catch (error) {
      if (error instanceof StorageError && error.failure.code === 'conflict') {
        const { value, revision } = error.failure.current;
        live = entryOf(namespace, name, revision, store.codec.decode(value, revision));
        await contention.lost();
        live = contention.newer(live);
      } else if (error instanceof StorageError && error.failure.code === 'not found') {
        live = undefined;
      } else if (error instanceof StatusError && !certain) {
        live = await readStored(store, namespace, name);
      } else {
        throw translate(store, { kind: '', apiVersion: '', metadata: { name } }, error, 'delete');
      }
      certain = true;
    }
  }
  throw staleResourceVersion(store.definition, name);
}

async function deleteOnce(
  store: ResourceStore,
  live: Entry,
  deletion: DeleteOptions,
  options: WriteContextOptions,
): Promise<Deleted> {
  const previous = live.object();
  checkPreconditions(store, live, deletion);
  const attributes = {
    definition: store.definition,
    operation: 'DELETE',
    subresource: '',
    namespace: live.namespace,
    name: live.name,
    requester: options.requester,
    dryRun: options.dryRun,
  } as const;
  await store.admission.validate(attributes, undefined, previous);
  const grace = graceOf(store.definition, previous.metadata, deletion);
  if (grace.outcome === 'as before') return { ...accepted(store, live), outcome: 'as before' };
  const finalizers = collectionFinalizers(previous.metadata.finalizers ?? [], deletion);
  const free = finalizers.length === 0 && store.strategy.holds === undefined;
  if (free && grace.outcome === 'now') return remove(store, live, options);
  const marked = mark(store, previous, deletion, grace);
  const held = (marked.metadata.finalizers ?? []).length > 0 || (store.strategy.holds?.(marked) ?? false);
  const waits = held || grace.outcome === 'at';
  return waits ? keep(store, live, marked, options) : remove(store, live, options);
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

/** The object as it is while it waits to be removed. */
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

/** RFC 3339 times in UTC are in order as text. */
const sooner = (one: string | undefined, other: string): string =>
  one !== undefined && one < other ? one : other;

/** The propagation policy as finalizers; without one, whichever is there stays. */
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

async function keep(
  store: ResourceStore,
  live: Entry,
  marked: KubeObject,
  options: WriteContextOptions,
): Promise<Deleted> {
  const canonical = store.codec.encode(marked);
  const unchanged = store.codec.serve(canonical, live.revision);
  const change = changeOf(live, marked, options);
  if (options.dryRun) await tryEffects(store, change);
  if (options.dryRun || unchanged.equals(live.bytes)) {
    return { outcome: 'waits', object: { revision: live.revision, bytes: unchanged }, before: live };
  }
  const key = storeKey(store, live.namespace, live.name);
  const write = { key, value: store.codec.seal(canonical), expect: live.revision };
  const { revisions } = await commitObject(store, [write], [], change);
  const revision = revisions[0] as number;
  return {
    outcome: 'waits',
    object: { revision, bytes: store.codec.serve(canonical, revision) },
    before: live,
  };
}

async function remove(store: ResourceStore, live: Entry, options: WriteContextOptions): Promise<Deleted> {
  const change = changeOf(live, undefined, options);
  const key = storeKey(store, live.namespace, live.name);
  let revision = live.revision;
  if (options.dryRun) {
    await tryEffects(store, change);
  } else {
    const own = forgetKept(store, await readKept(store, live.name));
    const writes = [{ key, expect: live.revision }, ...own];
    revision = (await commitObject(store, writes, [], change)).revisions[0] as number;
  }
  if (store.strategy.returnsDeleted === true) {
    const bytes = store.codec.restamp(live.bytes, live.revision, revision);
    return { outcome: 'removed', object: { revision, bytes }, before: live };
  }
  return accepted(store, live);
}

function changeOf(
  live: Entry,
  next: KubeObject | undefined,
  { requester, dryRun }: WriteContextOptions,
): Change {
  return { next, previous: live.object(), requester, now: timestamp(), dryRun };
}

/** Word that nothing more is to be asked for. */
function accepted(
  store: ResourceStore,
  live: Entry,
): Extract<Deleted, { readonly outcome: 'gone' | 'as before' }> {
  const details = { ...resourceDetails(store.definition, live.name), uid: live.object().metadata.uid };
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
  return { outcome: 'gone', status, object: undefined, before: live };
}
