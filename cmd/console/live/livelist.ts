/** Keeps a collection up to date: its pages, and then its changes. */
import { sentEventsOf } from '../../../api/client/watch.js';
import { Reflector, type ChangeType, type TakeEvent } from '../../../api/client/reflector.js';
import type { ObjectMeta } from '../../../api/resource.js';
import type { Form } from '../client/forms.js';
import { withQuery } from '../client/paths.js';
import { open, send } from '../client/request.js';
import { ApiError } from '../client/status.js';
import { sessionEnded } from '../session/session.js';
import { isOfOne, refusedList } from './maylist.js';

/** Lists of the page that lost the server retry at once when another one has reached it. */

/** Resolves after `ms`, or when `signal` is aborted. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** The lists of the page that wait for the server. */
const waiting = new Set<() => void>();

/** The server has responded: waiting lists continue. */
function reached(): void {
  for (const wake of waiting) wake();
}

/** As `wait`, which ends when another list reaches the server. */
async function untilReached(wait: Wait, ms: number, signal: AbortSignal): Promise<void> {
  const woken = new AbortController();
  const wake = (): void => woken.abort();
  waiting.add(wake);
  try {
    await wait(ms, AbortSignal.any([signal, woken.signal]));
  } finally {
    waiting.delete(wake);
  }
}

/**
 * `stale`: the items are those of the last response, and the server cannot be reached now. `loading` with an error: it
 * could not be reached yet.
 */
export type LiveStatus = 'loading' | 'live' | 'stale' | 'refused';

export interface LiveState<Item> {
  readonly status: LiveStatus;
  readonly items: readonly Item[];
  /** The reason for `stale` or `refused`, or why it still loads. */
  readonly error: ApiError | undefined;
  /** Whether the list has more items than were read. */
  readonly more?: boolean;
}

export interface LiveListParts<Item> {
  /** The path with its query, such as `/apis/…/sharedsecrets?fieldSelector=…`. */
  readonly path: string;
  readonly form: Form<Item>;
  /** The maximum number of pages of {@link PAGE} items; absent: all pages. */
  readonly maxPages?: number;
  /** Runs `tell` soon, once for all changes in a frame. */
  readonly schedule?: (tell: () => void) => void;
  readonly wait?: Wait;
  /** Whether the list is allowed; rejects with ApiError. Absent: the list itself is the answer. */
  readonly mayList?: (path: string, signal: AbortSignal) => Promise<boolean>;
}

const PAGE = 1000;
/** A refused list is retried, as the user may get the right. */
const REFUSED_PAUSE_MS = 4_000;
/** The server ends a watch after this time; a proxy may end it sooner. */
const WATCH_SECONDS = 600;

export class LiveList<Item> {
  private items = new Map<string, Item>();
  private current: LiveState<Item> = { status: 'loading', items: [], error: undefined };
  private pending = false;
  private more = false;
  private renewNow: (() => void) | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly closing = new AbortController();
  private readonly parts: Required<LiveListParts<Item>>;
  private readonly reflector: Reflector<unknown>;

  constructor(parts: LiveListParts<Item>) {
    this.parts = { schedule: onFrame, wait: pause, maxPages: Infinity, mayList: allowed, ...parts };
    const { signal } = this.closing;
    this.reflector = new Reflector({
      signal,
      list: () => this.list(),
      watch: (version, take) => this.watch(version, take),
      changed: (type, object) => this.take(type, object),
      failed: (error) => this.failed(knownError(error)),
      wait: (ms, error) => this.pause(ms, error),
    });
    // It ends with what `failed` throws, which is told already.
    this.reflector.run().catch(() => undefined);
  }

  /** Returns the same object until something changes. */
  state = (): LiveState<Item> => this.current;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  close(): void {
    this.closing.abort();
  }

  /** The user has logged in again: a list that was refused because the session ended continues. */
  renew(): void {
    this.renewNow?.();
  }

  private renewed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.renewNow = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Throws an error that ends the list. */
  private failed(error: ApiError): void {
    if (error.code === 401) sessionEnded();
    if (![400, 403, 404, 405].includes(error.code))
      return this.tell(this.current.status === 'loading' ? 'loading' : 'stale', error);
    // Objects that the user may not see any more are hidden. A new right shows them without a reload.
    this.items = new Map();
    this.reflector.relist();
    this.tell('refused', error);
    if (!isForNow(error)) throw error;
  }

  private async pause(ms: number, thrown: unknown): Promise<void> {
    const { signal } = this.closing;
    const error = thrown === undefined ? undefined : knownError(thrown);
    // A watch ends with its session: the login is shown in front of the page, and `renew` continues.
    if (error?.code === 401) return this.renewed(signal);
    const least = error !== undefined && isForNow(error) ? REFUSED_PAUSE_MS : 0;
    const pause = Math.max(ms, least);
    if (error?.code === 0) await untilReached(this.parts.wait, pause, signal);
    else await this.parts.wait(pause, signal);
  }

  private async list(): Promise<string> {
    const { form, path, maxPages, mayList } = this.parts;
    const { signal } = this.closing;
    const asksFirst = !isOfOne(path) || this.current.status === 'refused';
    if (asksFirst && !(await mayList(path, signal))) throw refusedList();
    const found = new Map<string, Item>();
    let more = '';
    let pages = 0;
    let version = '';
    do {
      const url = withQuery(path, { limit: String(PAGE), ...(more !== '' && { continue: more }) });
      const answer = await send<{ metadata: { continue?: string; resourceVersion?: string } }>('GET', url, {
        accept: form.accept,
        signal,
      });
      for (const item of form.items(answer)) found.set(keyOf(form.metadata(item)), item);
      more = answer.metadata.continue ?? '';
      pages += 1;
      // The first pages are shown while further pages load.
      if (this.current.status === 'loading' && more !== '') {
        this.items = found;
        this.changed();
      }
      version = answer.metadata.resourceVersion ?? version;
    } while (more !== '' && pages < maxPages);
    this.more = more !== '';
    this.items = found;
    this.tell('live');
    return version;
  }

  /** Resolves when the server ends the watch. */
  private async watch(resourceVersion: string, take: TakeEvent<unknown>): Promise<void> {
    const { form, path } = this.parts;
    const url = withQuery(path, {
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(WATCH_SECONDS),
    });
    const response = await open('GET', url, {
      accept: form.acceptWatch ?? form.accept,
      signal: this.closing.signal,
    });
    reached();
    if (this.current.status !== 'live') this.tell('live');
    if (response.body === null) return;
    for await (const { type, object } of sentEventsOf(response.body)) await take(type, object);
  }

  private take(type: ChangeType, object: unknown): void {
    const { form } = this.parts;
    for (const item of form.changed(object)) {
      const key = keyOf(form.metadata(item));
      if (type === 'DELETED') this.items.delete(key);
      else this.items.set(key, item);
    }
    this.changed();
  }

  private changed(): void {
    if (this.pending) return;
    this.pending = true;
    this.parts.schedule(() => {
      this.pending = false;
      if (!this.closing.signal.aborted) this.tell(this.current.status, this.current.error);
    });
  }

  private tell(status: LiveStatus, error?: ApiError): void {
    this.current = { status, items: [...this.items.values()], error, more: this.more };
    for (const listener of this.listeners) listener();
  }
}

const allowed = (): Promise<boolean> => Promise.resolve(true);

const knownError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, { reason: '', message: String(error) });

/** Refusals that end when the user gets a right. */
const isForNow = ({ code }: ApiError): boolean => code === 403 || code === 404;

const keyOf = ({ namespace = '', name = '' }: ObjectMeta): string => `${namespace}/${name}`;

const onFrame = (tell: () => void): void => {
  // A hidden tab has no animation frames.
  if (document.visibilityState === 'hidden') setTimeout(tell, 250);
  else requestAnimationFrame(tell);
};

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
