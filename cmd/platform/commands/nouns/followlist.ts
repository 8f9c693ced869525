/** A list that goes on as its objects change, as an informer of Kubernetes follows it. */
import { ApiError } from '../../../../api/client/apierror.js';
import { Reflector, type ChangeType } from '../../../../api/client/reflector.js';
import { Failure } from '../../failure.js';
import type { SentEvent } from '../../../../api/client/watch.js';
import { Interrupted } from '../../connection/watch.js';

/** A server that is away for longer is given up. */
const AWAY_MS = 5 * 60_000;

/** An object, or a row that shows one. */
export interface Listed<T> {
  /** Of the object: uid, or namespace and name. */
  readonly id: string;
  readonly resourceVersion: string;
  readonly value: T;
}

export interface Change<T> {
  readonly type: ChangeType;
  readonly value: T;
}

export interface ListState<T> {
  readonly items: readonly Listed<T>[];
  readonly resourceVersion: string;
}

export interface ListSource<T> {
  list(): Promise<ListState<T>>;
  /** Throws as `watchLines` does. */
  watch(resourceVersion: string, opened: () => void): AsyncIterable<SentEvent>;
  /** Of a list, or of an event's object. */
  read(object: object): ListState<T>;
  /** Told why it is not followed at the moment, once for each time. */
  interrupted(why: string): void;
  readonly pauseMs?: number;
  readonly awayMs?: number;
}

/**
 * Shows first the list, then each change. Changes made while the server was away come when it is back. Ends by a Failure
 * alone: credentials that have ended, rights that are gone, a server that is away for five minutes; or what `show` throws.
 */
export async function followList<T>(
  source: ListSource<T>,
  show: (changes: readonly Change<T>[]) => void | Promise<void>,
): Promise<void> {
  const known = new Map<string, Listed<T>>();
  let list = (): Promise<ListState<T>> => source.list();
  /** Since when the server is unreachable. */
  let since: number | undefined;
  const reflector = new Reflector<object>({
    async list() {
      const state = await list();
      list = () => listAgain(source);
      await show(differences(known, state));
      return state.resourceVersion;
    },
    async watch(version, take) {
      for await (const { type, object } of source.watch(version, () => (since = undefined)))
        await take(type, object);
    },
    changed: (type, object) => show(source.read(object).items.map((item) => shown(known, type, item))),
    failed(error) {
      if (!(error instanceof Interrupted || error instanceof ApiError)) throw error;
      if (since === undefined) source.interrupted(error.message);
      since ??= performance.now();
      if (performance.now() - since > (source.awayMs ?? AWAY_MS)) throw error;
    },
    backoff: { first: source.pauseMs },
  });
  await reflector.run();
}

/** A server that cannot be reached now may be later. */
async function listAgain<T>(source: ListSource<T>): Promise<ListState<T>> {
  try {
    return await source.list();
  } catch (error) {
    if (error instanceof Failure && error.reason === 'failed') throw new Interrupted('failed', error.message);
    throw error;
  }
}

/** The differences of a new list to the known rows. */
function differences<T>(known: Map<string, Listed<T>>, { items }: ListState<T>): Change<T>[] {
  const there = new Set(items.map(({ id }) => id));
  const gone = [...known.values()].filter(({ id }) => !there.has(id));
  const changed = items.filter(
    ({ id, resourceVersion }) => known.get(id)?.resourceVersion !== resourceVersion,
  );
  return [
    ...gone.map((item) => shown(known, 'DELETED', item)),
    ...changed.map((item) => shown(known, known.has(item.id) ? 'MODIFIED' : 'ADDED', item)),
  ];
}

/** A change, of which the next list knows. */
function shown<T>(known: Map<string, Listed<T>>, type: ChangeType, item: Listed<T>): Change<T> {
  if (type === 'DELETED') known.delete(item.id);
  else known.set(item.id, item);
  return { type, value: item.value };
}
