/**
 * The one loop of every write, after `GuaranteedUpdate` of `k8s.io/apiserver/pkg/storage`: a step says what the write
 * makes of the state that it is given, its transaction is committed, and where another writer came first the step runs
 * again on the state that was met.
 */
import {
  StatusError,
  alreadyExists,
  serverTimeout,
  staleResourceVersion,
  tooLarge,
} from '../../apimachinery/errors.js';
import type { Entry } from '../../cache/interface.js';
import type { StoredRecord } from '../../storage/interface.js';
import { MAX_VALUE_BYTES, StorageError } from '../../storage/interface.js';
import { Contention } from './contention.js';
import { objectPath } from '../keys.js';
import { privateConflict } from '../object/writeonlyfields.js';
import type { ResourceStore } from '../generic/resourcestore.js';
import { entryOf, readStored, storeKey, unavailable } from '../generic/resourcestore.js';
import type { KeyFailure, Transaction } from './transaction.js';
import { commitTransaction, ruleOf } from './transaction.js';
import { undecryptableError } from '../undecryptableerror.js';

/** The budget of one write: how often its step runs. */
const ATTEMPTS = 100;

/** The object of a write, and who writes. */
export interface WriteTarget {
  /** As errors name it. */
  readonly operation: 'create' | 'update' | 'delete' | 'write';
  readonly namespace: string;
  /** Undefined where the server makes the name. */
  readonly name: string | undefined;
  /** Users take turns where their writers meet. */
  readonly user: string;
  /** Whether the writer stands in line: not with a write of one version, which every other write makes stale. */
  readonly queues: boolean;
}

/** What a step starts from. */
export interface LiveState {
  /** The object as it is; undefined where there is none. */
  readonly live: Entry | undefined;
  /** Other records as failed transactions met them, by key; undefined: there was none. */
  readonly met: ReadonlyMap<string, StoredRecord | undefined>;
  /** Whether a precondition failed: what admission rests on is read from the store, and not from the cache. */
  readonly bypassCache: boolean;
}

/** What is to be committed, if anything, and the answer then: `revisions` are those of the transaction's writes. */
export interface StepResult<T> {
  readonly transaction?: Transaction;
  readonly answer: (revisions: readonly number[]) => T;
}

/**
 * What a write makes of a state. Reads, and changes nothing, so that it can run again. Refuses with a StatusError, which
 * is the answer once the state is known to be that of the store.
 */
export type Step<T> = (state: LiveState) => Promise<StepResult<T>>;

/** A state, and whether the store is known to have had it during this write. */
interface KnownState extends LiveState {
  readonly certain: boolean;
}

/**
 * Runs `step` until its transaction is committed, or there is nothing to commit. Begins with the object as the cache has
 * it; a refusal, or that nothing changes, is asked again where the store has another state. Throws StatusError: what the
 * step refuses; 409, or 500 ServerTimeout, when the budget is spent; 413; 5xx of the store.
 */
export async function guaranteedUpdate<T>(
  store: ResourceStore,
  target: WriteTarget,
  step: Step<T>,
): Promise<T> {
  const { namespace, name, user, queues } = target;
  const line = queues && name !== undefined ? storeKey(store, namespace, name) : undefined;
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
      const newer = isFinal(state, refusal) ? undefined : await newerState(store, target, state);
      if (newer !== undefined) {
        state = newer;
        continue;
      }
      if (result === undefined) throw refusal;
      contention.end(state.live);
      return result.answer([]);
    }
    const { transaction } = result;
    const outcome = await commitTransaction(store, transaction);
    if ('revisions' in outcome) {
      const { revisions } = outcome;
      if (contention.inTurn) contention.end(writtenEntry(store, target, transaction, revisions));
      return result.answer(revisions);
    }
    const [{ key }] = transaction.own;
    lost = { rule: ruleOf(transaction, outcome.failure.key) };
    state = stateMet(store, target, state, key, outcome.failure);
    await contention.lost(outcome.failure.key === key);
    state = { ...state, live: contention.newer(state.live) };
  }
  throw exhausted(store, target, lost?.rule);
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

/** Whether what a step says without a transaction is the answer, whatever the store has. */
const isFinal = ({ certain }: KnownState, refusal: unknown): boolean =>
  certain || (refusal !== undefined && !(refusal instanceof StatusError && refusal.code < 500));

function cachedState(store: ResourceStore, target: WriteTarget, contention: Contention): KnownState {
  const { namespace, name } = target;
  const path = name === undefined ? undefined : objectPath(store.definition, namespace, name);
  const cached = path === undefined ? undefined : store.cache.latest().get(path);
  return {
    live: contention.newer(cached),
    certain: path === undefined,
    met: new Map(),
    bypassCache: false,
  };
}

/** Undefined where the store has the same state. */
async function newerState(
  store: ResourceStore,
  { namespace, name = '' }: WriteTarget,
  state: KnownState,
): Promise<KnownState | undefined> {
  const live = await readStored(store, namespace, name);
  return live?.revision === state.live?.revision ? undefined : { ...state, live, certain: true };
}

/** The state that a transaction met, which failed for it. Throws StatusError 422 where that says what is wrong. */
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
  const live = record && entryOfRecord(store, namespace, written, record);
  return { ...state, live, certain: true };
}

/** Of an object that cannot be decrypted nothing more is known than that its name is taken. */
function lostRecord(
  { definition }: ResourceStore,
  name: string,
  operation: WriteTarget['operation'],
  { key, revision, undecryptable = '' }: StoredRecord,
): Error {
  if (operation === 'create') return alreadyExists(definition, name);
  return undecryptableError({ key, revision, keyName: undecryptable });
}

/** The object as a transaction left it, where that is what will be read. */
function writtenEntry(
  store: ResourceStore,
  { namespace, name = '' }: WriteTarget,
  { own: [{ key, value }] }: Transaction,
  [revision = 0]: readonly number[],
): Entry | undefined {
  if (value === undefined || store.foreign === true) return undefined;
  return entryOfRecord(store, namespace, name, { key, value, revision });
}

const entryOfRecord = (
  { codec }: ResourceStore,
  namespace: string,
  name: string,
  { value, revision }: StoredRecord,
): Entry => entryOf(namespace, name, revision, codec.decode(value, revision));

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

/** What a storage failure of a write means to the client. */
function translated(store: ResourceStore, { operation }: WriteTarget, error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  return error.failure.code === 'too large'
    ? tooLarge(MAX_VALUE_BYTES)
    : unavailable(store, operation, error);
}
