/** A store that commits our own objects and objects of another API server together. */
import {
  StorageError,
  type CommitResult,
  type Guard,
  type Storage,
  type Write,
  type Expectation,
  type StoredRecord,
} from '../../storage/interface.js';
import { CACHE_TIMEOUT_MS } from '../transaction/waitforcache.js';
import { hostKindFinder, type FindHostKind, type HostKind } from './kinds.js';
import {
  isPut,
  nameOwners,
  putAll,
  stagesOf,
  undoAll,
  type DonePut,
  type HostPut,
  type HostWrite,
} from './puts.js';
import { PendingRemovals, type ReportLeft } from './pendingremovals.js';

/** Rejects with the StorageError of the first expectation, in the given order, that the store does not meet. */
async function checkExpectations(
  storage: Pick<Storage, 'get'>,
  expectations: readonly Guard[],
): Promise<void> {
  const found = await Promise.all(expectations.map(({ key }) => storage.get(key)));
  for (const [at, { key, expect }] of expectations.entries()) check(key, expect, found[at]?.record);
}

/**
 * Checks a guard on an object of the host in the cache first, and at the host if the cache, which may be stale, does
 * not meet it.
 */
async function checkHostGuard(kind: HostKind, { key, expect }: Guard): Promise<void> {
  const cached = kind.cache.latest().get(key.slice(kind.prefix.length));
  if (meets(cached?.revision, expect)) return;
  check(key, expect, (await kind.storage.get(key)).record);
}

function meets(revision: number | undefined, expect: Expectation): boolean {
  if (expect === 'any') return true;
  if (expect === 'absent') return revision === undefined;
  return expect === 'present' ? revision !== undefined : revision === expect;
}

function check(key: string, expect: Expectation, current: StoredRecord | undefined): void {
  if (meets(current?.revision, expect)) return;
  if (current === undefined) throw new StorageError({ code: 'not found', key });
  throw new StorageError({ code: expect === 'absent' ? 'exists' : 'conflict', key, current });
}

/** What is stored in another API server. */
export interface AtHost {
  readonly kinds: readonly HostKind[];
  /** The annotation by which an object says that its owners exist; undefined: none does. */
  readonly ownersAnnotation: string | undefined;
}

/**
 * A commit first writes objects at the host, then our own, and finally removes objects at the host and adds owner
 * references. So rights are granted, and revoked, by the time it ends. If our own writes certainly fail, the writes
 * at the host are undone, unless another commit has written the same meanwhile or the host cannot be reached: owner
 * references and controllers then repair them. Repairs, which have no write of ours, are not undone. A commit
 * resolves once the caches of the host's kinds have its writes. If an object remains at the host, the commit is
 * valid, the removal continues, and it rejects with StorageError `unavailable`. Guards on objects of the host are
 * checked in its cache.
 *
 * Revisions are those of our store: a write at the host gets that of our last write, 0 if there is none.
 * @param closing ends what continues after commits
 */
export function withHost(
  own: Storage,
  { kinds, ownersAnnotation }: AtHost,
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
        return commitBoth(own, { ...plan, ownersAnnotation }, removals, report);
      // The host is not changed, as for most objects in a namespace.
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
  readonly removals: readonly HostWrite[];
}

/** Undefined if no key belongs to the host. */
function planOf(find: FindHostKind, writes: readonly Write[], guards: readonly Guard[]): Plan | undefined {
  const hostGuards = guards.flatMap((guard) => {
    const kind = find(guard.key);
    return kind === undefined ? [] : [{ kind, guard }];
  });
  const puts = stagesOf(find, writes.filter(isPut));
  const removals = writes.flatMap((write): HostWrite[] => {
    const kind = write.value === undefined ? find(write.key) : undefined;
    return kind === undefined ? [] : [{ kind, write }];
  });
  if (hostGuards.length + puts.length + removals.length === 0) return undefined;
  const ownGuards = guards.filter(({ key }) => find(key) === undefined);
  return { writes, isOwn: ({ key }) => find(key) === undefined, ownGuards, hostGuards, puts, removals };
}

async function checkHostGuards({ hostGuards }: Plan): Promise<void> {
  await Promise.all(hostGuards.map(({ kind, guard }) => checkHostGuard(kind, guard)));
}

async function commitBoth(
  own: Storage,
  plan: Plan & Pick<AtHost, 'ownersAnnotation'>,
  removals: PendingRemovals,
  report: ReportLeft,
): Promise<CommitResult> {
  const ownWrites = plan.writes.filter(plan.isOwn);
  await checkHostGuards(plan);
  // A conflict must be found before the host is changed: a create of a taken name must not change the members of the existing project, not even briefly.
  await checkExpectations(own, [...ownWrites, ...plan.ownGuards]);
  const done: DonePut[] = [];
  let committed: readonly number[] = [];
  let asked = false;
  try {
    for (const { write } of plan.puts.flat()) removals.cancel(write.key);
    const later = ownWrites.some(createsObject) && { annotation: plan.ownersAnnotation };
    await putAll(plan.puts, done, later);
    asked = true;
    if (ownWrites.length > 0) committed = (await own.commit(ownWrites, plan.ownGuards)).revisions;
    // A repair requires that its object is unchanged.
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

const NOT_GONE = 'the write succeeded, but a right that it revokes may still exist at the host';

/** Whether the commit may have succeeded. */
const isUnknown = (error: unknown): boolean =>
  error instanceof StorageError &&
  error.failure.code === 'unavailable' &&
  error.failure.outcome === 'unknown';

const createsObject = ({ value, expect }: Write): boolean => value !== undefined && expect === 'absent';
