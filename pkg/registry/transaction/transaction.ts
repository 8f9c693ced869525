/** The transaction of one write, which is atomic. */
import { StorageError, type StorageFailure, type StoredRecord, type Write } from '../../storage/interface.js';
import { beginSpan, traced } from '../../tracing/current.js';
import type { Change, Effects, Requirements } from './effects.js';
import { Peers } from './peers.js';
import type { ResourceStore } from '../resourcestore.js';
import { CACHE_TIMEOUT_MS } from './waitforcache.js';

/** Puts, deletes and preconditions, in order: those of the object, then those of rules. */
export interface Transaction {
  /** The writes of the object and of its private record; the first is the object's. */
  readonly own: readonly [Write, ...Write[]];
  readonly required: readonly Requirements[];
  /** Whether it changes rights: the response then waits until this server authorizes by them. */
  readonly decidesAccess: boolean;
}

/** A failed expectation of a transaction. */
export type KeyFailure = Extract<StorageFailure, { readonly code: 'exists' | 'not found' | 'conflict' }>;

/** The effects of a change, by its kind's strategy. */
export type OwnEffects = Pick<Transaction, 'decidesAccess'> & {
  readonly required: Requirements | undefined;
};

export const NO_EFFECTS: OwnEffects = { required: undefined, decidesAccess: false };

/**
 * Computes the effects of one change, or of several in one transaction. Throws their StatusErrors.
 * @param met states of other records that are newer than the cache
 */
export async function effectsOf(
  store: ResourceStore,
  met: ReadonlyMap<string, StoredRecord | undefined>,
  ...changes: readonly Change[]
): Promise<OwnEffects> {
  const { strategy, definition } = store;
  if (strategy.effects === undefined) return NO_EFFECTS;
  const found: Effects[] = [];
  const peers = changes.map((change) => new Peers(store, change, met));
  for (const [at, change] of changes.entries()) found.push(await strategy.effects(change, peers[at]!));
  return {
    required: {
      rule: definition.kind,
      writes: found.flatMap(({ writes }) => writes),
      preconditions: found.flatMap(({ guards }) => guards),
    },
    decidesAccess:
      peers.some(({ decideAccess }) => decideAccess) || found.some(({ decidesAccess }) => decidesAccess),
  };
}

/** `admission`: the requirements of admission plugins. */
export function transactionOf(
  own: Transaction['own'],
  admission: readonly Requirements[],
  { required, decidesAccess }: OwnEffects,
): Transaction {
  return { own, required: required === undefined ? admission : [...admission, required], decidesAccess };
}

/** The rule that has a requirement for a key; undefined for the write's own keys. */
export const ruleOf = ({ own, required }: Transaction, key: string): string | undefined =>
  own.some((write) => write.key === key)
    ? undefined
    : required.find(({ writes = [], preconditions = [] }) =>
        [...writes, ...preconditions].some((one) => one.key === key),
      )?.rule;

/**
 * Commits, and returns the revisions of the writes in order, or the failed key, if nothing was written. Rejects with
 * StorageError.
 */
export async function commitTransaction(
  store: ResourceStore,
  transaction: Transaction,
): Promise<{ readonly revisions: readonly number[] } | { readonly failure: KeyFailure }> {
  const { own, required, decidesAccess } = transaction;
  const writes = required.length === 0 ? own : [...own, ...required.flatMap(({ writes = [] }) => writes)];
  const guards = required.flatMap(({ preconditions = [] }) => preconditions);
  let revisions: readonly number[];
  try {
    ({ revisions } = await traced(beginSpan('commit'), store.storage.commit(writes, guards)));
  } catch (error) {
    const failure = keyFailure(error);
    if (failure === undefined) throw error;
    return { failure };
  }
  if (decidesAccess) await store.cache.reach(Math.max(...revisions), CACHE_TIMEOUT_MS);
  return { revisions };
}

function keyFailure(error: unknown): KeyFailure | undefined {
  if (!(error instanceof StorageError)) return undefined;
  const { failure } = error;
  const { code } = failure;
  return code === 'exists' || code === 'not found' || code === 'conflict' ? failure : undefined;
}
