/**
 * The loop of every write, after `GuaranteedUpdate` of `k8s.io/apiserver/pkg/storage`: a step computes a transaction
 * from a state, which is committed. After a conflict, the step runs again on the state that was found.
 */
import type { ObjectKey } from '../../../api/resource.js';
import {
  StatusError,
  alreadyExists,
  serverTimeout,
  staleResourceVersion,
  tooLarge,
} from '../../apimachinery/errors.js';
import type { Entry } from '../../cache/interface.js';
import { MAX_VALUE_BYTES, StorageError, type StoredRecord } from '../../storage/interface.js';
import { Contention } from './contention.js';
import { objectPath } from '../keys.js';
import { privateConflict } from '../object/writeonlyfields.js';
import { entryOf, readStored, storeKey, unavailable, type ResourceStore } from '../resourcestore.js';
import { commitTransaction, ruleOf, type KeyFailure, type Transaction } from './transaction.js';
import type { Requester } from '../requester.js';
import { undecryptableError } from '../undecryptableerror.js';

/** The maximum number of attempts of one write. */
const ATTEMPTS = 100;

/** The object of a write, and its writer. */
export interface WriteTarget {
  /** The operation that errors name. */
  readonly operation: 'create' | 'update' | 'delete' | 'write';
  readonly namespace: string;
  /** Undefined if the server generates the name. */
  readonly name: string | undefined;
  /** Contending users take turns. */
  readonly user: string;
  /** Whose budget the written bytes are charged to; absent: nobody's. */
  readonly writer?: Requester;
  /** Whether the write queues: a write of one resourceVersion does not, as every other write makes it stale. */
  readonly queues: boolean;
}

/** The input of a step. */
export interface LiveState {
  /** The current object; undefined if it does not exist. */
  readonly live: Entry | undefined;
  /** The states of other records that failed transactions found, by key; undefined: the record does not exist. */
  readonly met: ReadonlyMap<string, StoredRecord | undefined>;
  /** Whether a precondition failed: admission then reads from the store, not from the cache. */
  readonly bypassCache: boolean;
}

/** The transaction of a step, if any, and its result: `revisions` are those of the transaction's writes. */
export interface StepResult<T> {
  readonly transaction?: Transaction;
  /** Whether a result without a transaction is final although the state was the cache's. */
  readonly final?: boolean;
  readonly answer: (revisions: readonly number[]) => T;
}

/**
 * Computes a write from a state. It only reads, so that it can run again. A StatusError that it throws is the result
 * once the state is known to be that of the store.
 */
export type Step<T> = (state: LiveState) => Promise<StepResult<T>>;

/** The result, whose warnings are sent with its answer only: a refused write has none of them. */
export const answeredWith = <T>(
  { answer, ...result }: StepResult<T>,
  warnings: readonly string[],
  warn: (text: string) => void,
): StepResult<T> => ({
  ...result,
  answer(revisions) {
    for (const text of warnings) warn(text);
    return answer(revisions);
  },
});

/** A state, and whether the store is known to have had it during this write. */
interface KnownState extends LiveState {
  readonly certain: boolean;
}

/**
 * Runs `step` until its transaction is committed, or there is nothing to commit. Starts with the cached object; a
 * refusal, or a step without changes, runs again if the store has another state. Throws StatusError: the refusal of
 * the step; 409, or 500 ServerTimeout, after the last attempt; 413; 5xx of the store.
 */
export async function guaranteedUpdate<T>(
  store: ResourceStore,
  target: WriteTarget,
  step: Step<T>,
): Promise<T> {
  const { namespace, name, user, queues } = target;
  const line = queues && name !== undefined ? storeKey(store, { namespace, name }) : undefined;
  const contention = new Contention(store.writeQueues, line, user);
  try {
    if (contention.mustWait) await contention.enter();
    return await run(store, target, step, contention);
  } catch (error) {
    throw translated(store, target, error);
  } finally {
    contention.end();
  }
}

async function run<T>(
  store: ResourceStore,
  target: WriteTarget,
  step: Step<T>,
  contention: Contention,
): Promise<T> {
  let state = cachedState(store, target, contention);
  let lost: { readonly rule: string | undefined } | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { result, refusal } = await resultOf(step, state);
    if (result?.transaction === undefined) {
      const final = result?.final === true || isFinal(state, refusal);
      const newer = final ? undefined : await newerState(store, target, state);
      if (newer !== undefined) {
        state = newer;
        continue;
      }
      if (result === undefined) throw refusal;
      contention.end(state.live);
      return result.answer([]);
    }
    const { transaction } = result;
    const refund = charge(store, target, transaction);
    const outcome = await commitTransaction(store, transaction);
    if ('revisions' in outcome) {
      const { revisions } = outcome;
      if (contention.inTurn) contention.end(writtenEntry(store, target, transaction, revisions));
      return result.answer(revisions);
    }
    refund();
    const [{ key }] = transaction.own;
    lost = { rule: ruleOf(transaction, outcome.failure.key) };
    state = stateMet(store, target, state, key, outcome.failure);
    await contention.lost(outcome.failure.key === key, outcome.failure.key);
    state = { ...state, live: contention.newer(state.live) };
  }
  throw exhausted(store, target, lost?.rule);
}

/** Returns what takes the charge back, if nothing was written. Throws StatusError 429. */
function charge(
  { writeBudgets }: ResourceStore,
  { writer }: WriteTarget,
  { own, required }: Transaction,
): () => void {
  if (writer === undefined) return () => undefined;
  return writeBudgets.charge(writer, [...own, ...required.flatMap(({ writes = [] }) => writes)]);
}

async function resultOf<T>(
  step: Step<T>,
  state: LiveState,
): Promise<{ readonly result?: StepResult<T>; readonly refusal?: unknown }> {
  try {
    return { result: await step(state) };
  } catch (refusal) {
    return { refusal };
  }
}

/** Whether a result without a transaction, or a refusal, is final. */
const isFinal = ({ certain }: KnownState, refusal: unknown): boolean =>
  certain || (refusal !== undefined && !(refusal instanceof StatusError && refusal.code < 500));

function cachedState(store: ResourceStore, target: WriteTarget, contention: Contention): KnownState {
  const { namespace, name } = target;
  const path = name === undefined ? undefined : objectPath(store.definition, { namespace, name });
  const cached = path === undefined ? undefined : store.cache.latest().get(path);
  return {
    live: contention.newer(cached),
    // The store has no record of a derived object.
    certain: path === undefined || cached?.derived === true,
    met: new Map(),
    bypassCache: false,
  };
}

/** Undefined if the store has the same state. */
async function newerState(
  store: ResourceStore,
  { namespace, name = '' }: WriteTarget,
  state: KnownState,
): Promise<KnownState | undefined> {
  const live = await readStored(store, { namespace, name });
  return live?.revision === state.live?.revision ? undefined : { ...state, live, certain: true };
}

/** The state that a failed transaction found. Throws StatusError 422 if a write-only field conflicts. */
function stateMet(
  store: ResourceStore,
  { namespace, name, operation }: WriteTarget,
  state: KnownState,
  own: string,
  failure: KeyFailure,
): KnownState {
  const written = name ?? own.slice(own.lastIndexOf('/') + 1);
  const refusal = privateConflict(store, written, failure);
  if (refusal !== undefined) throw refusal;
  const record = failure.code === 'not found' ? undefined : failure.current;
  if (failure.key !== own)
    return { ...state, met: new Map(state.met).set(failure.key, record), bypassCache: true };
  if (record?.undecryptable !== undefined) throw lostRecord(store, written, operation, record);
  const live = record && entryOfRecord(store, { namespace, name: written }, record);
  return { ...state, live, certain: true };
}

/** The error for an object that cannot be decrypted: only its name is known to be taken. */
function lostRecord(
  { definition }: ResourceStore,
  name: string,
  operation: WriteTarget['operation'],
  { key, revision, undecryptable = '' }: StoredRecord,
): Error {
  if (operation === 'create') return alreadyExists(definition, name);
  return undecryptableError({ key, revision, keyName: undecryptable });
}

/** The object after a transaction; undefined if a read would return something else. */
function writtenEntry(
  store: ResourceStore,
  { namespace, name = '' }: WriteTarget,
  { own: [{ key, value }] }: Transaction,
  [revision = 0]: readonly number[],
): Entry | undefined {
  if (value === undefined || store.foreign === true) return undefined;
  return entryOfRecord(store, { namespace, name }, { key, value, revision });
}

const entryOfRecord = (
  { codec }: ResourceStore,
  { namespace, name }: ObjectKey,
  { value, revision }: StoredRecord,
): Entry => entryOf({ namespace, name }, revision, codec.decode(value, revision));

function exhausted(
  { definition }: ResourceStore,
  { name = '', operation }: WriteTarget,
  rule: string | undefined,
): StatusError {
  if (rule === undefined) return staleResourceVersion(definition, name);
  const answer = serverTimeout(definition, operation);
  answer.status.message = `${answer.status.message ?? ''} (what ${rule} requires has changed each time)`;
  return answer;
}

/** The client's error for a storage failure of a write. */
function translated(store: ResourceStore, { operation }: WriteTarget, error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  return error.failure.code === 'too large'
    ? tooLarge(MAX_VALUE_BYTES)
    : unavailable(store, operation, error);
}
