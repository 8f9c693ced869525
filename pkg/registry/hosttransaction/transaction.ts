/** A store of our own objects beside those of some kinds that another API server has: one commit over both. */
import type { CommitResult, Guard, Storage, Write } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import { CACHE_TIMEOUT_MS } from '../generic/waitforcache.js';
import { checkExpectations, checkHostGuard } from './expectations.js';
import type { ReportLeft } from './pendingremovals.js';
import type { FindHostKind, HostKind } from './kinds.js';
import { hostKindFinder } from './kinds.js';
import { narrowBindings } from './narrowed.js';
import type { DonePut, HostPut, HostWrite } from './puts.js';
import { isPut, nameOwners, putAll, stagesOf, undoAll } from './puts.js';
import { PendingRemovals } from './pendingremovals.js';

/**
 * A commit puts what belongs to the host there, then makes our own writes, then removes at the host and names owners:
 * whoever may more by it may at its end, and whoever may less may not. Where ours fail for certain the host has what it had
 * before, unless another commit has put the same meanwhile or that fails too: then owner references and the loops make it
 * good. What is put for objects as they are, without a write of ours, is not taken back. It resolves when the caches of the host's
 * kinds show it. Where something that it removes stays at the host it is made, goes on to remove, and rejects with
 * StorageError `unavailable`.
 * Guards on objects of the host hold as its cache has them.
 *
 * Revisions are ours: a write at the host has that of our last one, 0 where there is none.
 * @param closing ends what goes on behind commits
 */
export function withHost(
  own: Storage,
  kinds: readonly HostKind[],
  report: ReportLeft,
  closing: AbortSignal,
): Storage {
  const find = hostKindFinder(kinds);
  const removals = new PendingRemovals(closing, report);
  return {
    ...own,
    get: (key, options) => (find(key)?.storage ?? own).get(key, options),
    scan: (range, options) => (find(range.start)?.storage ?? own).scan(range, options),
    commit(writes, guards = []) {
      const plan = planOf(find, writes, guards);
      if (plan === undefined) return own.commit(writes, guards);
      if (writes.length === 0 || plan.puts.length + plan.removals.length > 0)
        return commitBoth(own, plan, removals, report);
      // Nothing of the host changes, as with most objects in a namespace.
      return checkHostGuards(plan).then(() => own.commit(writes, plan.ownGuards));
    },
  };
}

interface Plan {
  readonly writes: readonly Write[];
  readonly isOwn: (write: Write) => boolean;
  readonly ownGuards: readonly Guard[];
  readonly hostGuards: readonly { readonly kind: HostKind; readonly guard: Guard }[];
  readonly puts: readonly (readonly HostPut[])[];
  readonly removals: readonly (readonly HostWrite[])[];
}

/** Undefined where nothing is of the host. */
function planOf(find: FindHostKind, writes: readonly Write[], guards: readonly Guard[]): Plan | undefined {
  const hostGuards = guards.flatMap((guard) => {
    const kind = find(guard.key);
    return kind === undefined ? [] : [{ kind, guard }];
  });
  const puts = stagesOf(find, writes.filter(isPut));
  const removals = stagesOf(
    find,
    writes.filter(({ value }) => value === undefined),
  ).reverse();
  if (hostGuards.length + puts.length + removals.length === 0) return undefined;
  const ownGuards = guards.filter(({ key }) => find(key) === undefined);
  return { writes, isOwn: ({ key }) => find(key) === undefined, ownGuards, hostGuards, puts, removals };
}

async function checkHostGuards({ hostGuards }: Plan): Promise<void> {
  await Promise.all(hostGuards.map(({ kind, guard }) => checkHostGuard(kind, guard)));
}

async function commitBoth(
  own: Storage,
  plan: Plan,
  removals: PendingRemovals,
  report: ReportLeft,
): Promise<CommitResult> {
  const ownWrites = plan.writes.filter(plan.isOwn);
  await checkHostGuards(plan);
  // A name that is taken must not change the rights of the object that has it, not even for a moment.
  await checkExpectations(own, [...ownWrites, ...plan.ownGuards]);
  const done: DonePut[] = [];
  let committed: readonly number[] = [];
  let asked = false;
  try {
    for (const { write } of plan.puts.flat()) removals.cancel(write.key);
    await putAll(await narrowBindings(plan.puts, done), done, ownWrites.some(createsObject));
    asked = true;
    if (ownWrites.length > 0) committed = (await own.commit(ownWrites, plan.ownGuards)).revisions;
    // What is put for objects as they are holds while they are so.
    else await checkExpectations(own, plan.ownGuards);
  } catch (error) {
    const stays = ownWrites.length === 0 || (asked && isUnknown(error));
    if (!stays)
      await undoAll(done, (key, why) => report(`${key} stays at the host though its commit failed`, why));
    throw error;
  }
  const [gone] = await Promise.all([
    removals.begin(plan.removals, CACHE_TIMEOUT_MS),
    ...done.map(async (one) => {
      const { kind, revision } = await nameOwners(one, (key, why) => report(`${key} has no owner`, why));
      await kind.cache.reach(revision, CACHE_TIMEOUT_MS);
    }),
  ]);
  if (!gone) throw new StorageError({ code: 'unavailable', reason: NOT_GONE, outcome: 'unknown' });
  const last = committed.at(-1) ?? 0;
  let next = 0;
  return { revisions: plan.writes.map((write) => (plan.isOwn(write) ? (committed[next++] ?? 0) : last)) };
}

const NOT_GONE = 'it is written, but a right that it takes away is not yet seen to be gone at the host';

/** It may be made after all. */
const isUnknown = (error: unknown): boolean =>
  error instanceof StorageError &&
  error.failure.code === 'unavailable' &&
  error.failure.outcome === 'unknown';

const createsObject = ({ value, expect }: Write): boolean => value !== undefined && expect === 'absent';
