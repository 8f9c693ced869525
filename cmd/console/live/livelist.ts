/**
 * A collection that stays as the server has it: listed in pages, then watched from the list's resourceVersion. A watch that
 * breaks off is resumed from the last version that was told (bookmarks count); one that is too old is listed anew.
 */
import type { ObjectMeta } from '../../../api/resource.js';
import type { Form } from '../client/forms.js';
import { withQuery } from '../client/paths.js';
import { linesOf } from './lines.js';
import { open, send } from '../client/request.js';
import { ApiError, errorOf } from '../client/status.js';
import { sessionEnded } from '../session/session.js';
import type { Wait } from './retry.js';
import { Retry } from './retry.js';

/** `stale`: shown as it was, while the server cannot be reached. */
export type LiveStatus = 'loading' | 'live' | 'stale' | 'refused';

export interface LiveState<Item> {
  readonly status: LiveStatus;
  readonly items: readonly Item[];
  /** Why it is `stale` or `refused`. */
  readonly error: ApiError | undefined;
  /** Whether there is more than was looked at. */
  readonly more?: boolean;
}

export interface LiveListParts<Item> {
  /** With its query, as `/apis/…/sharedsecrets?fieldSelector=…`. */
  readonly path: string;
  readonly form: Form<Item>;
  /** How many pages of {@link PAGE} are looked at; absent: all. */
  readonly maxPages?: number;
  /** Runs `tell` soon, once for all changes of a frame. */
  readonly schedule?: (tell: () => void) => void;
  readonly wait?: Wait;
}

const PAGE = 1000;
/** Who may see nothing now may see something soon. */
const REFUSED_PAUSE_MS = 4_000;
/** The server ends a watch after this time; a proxy may end it sooner. */
const WATCH_SECONDS = 600;

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: { readonly metadata?: ObjectMeta; readonly code?: number };
}

export class LiveList<Item> {
  #items = new Map<string, Item>();
  #state: LiveState<Item> = { status: 'loading', items: [], error: undefined };
  #version = '';
  #pending = false;
  #more = false;
  #renew: (() => void) | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #parts: Required<LiveListParts<Item>>;
  readonly #retry: Retry;

  constructor(parts: LiveListParts<Item>) {
    this.#parts = { schedule: onFrame, wait: pause, maxPages: Infinity, ...parts };
    this.#retry = new Retry(this.#parts.wait);
    void this.#run();
  }

  /** The same object until something changes. */
  state = (): LiveState<Item> => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  close(): void {
    this.#closing.abort();
  }

  /** Somebody has logged in again: a list that the server refused for want of a session goes on. */
  renew(): void {
    this.#renew?.();
  }

  #renewed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#renew = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        if (this.#version === '') {
          await this.#list();
          this.#tell('live');
        }
        await this.#watch();
        await this.#retry.pause(signal, false);
      } catch (error) {
        if (signal.aborted) return;
        const known = error instanceof ApiError ? error : new ApiError(0, '', String(error));
        if (known.code === 410) this.#version = '';
        else if (known.code === 401) {
          // A watch ends with its session: the login is asked for in front of what is shown, and `renew` goes on.
          sessionEnded();
          this.#tell('stale', known);
          await this.#renewed(signal);
        } else if (![400, 403, 404, 405].includes(known.code)) {
          this.#tell('stale', known);
          await this.#retry.pause(signal, known.code === 0);
        } else {
          // Objects that the user may not see any more are hidden; a new right shows them without a reload.
          this.#items = new Map();
          this.#version = '';
          this.#tell('refused', known);
          if (![403, 404].includes(known.code)) return;
          await this.#retry.pause(signal, false, REFUSED_PAUSE_MS);
        }
      }
    }
  }

  async #list(): Promise<void> {
    const { form, path, maxPages } = this.#parts;
    const { signal } = this.#closing;
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
      // The first pages are shown while others come.
      if (this.#state.status === 'loading' && more !== '') {
        this.#items = found;
        this.#changed();
      }
      version = answer.metadata.resourceVersion ?? version;
    } while (more !== '' && pages < maxPages);
    this.#more = more !== '';
    this.#items = found;
    this.#version = version;
  }

  /** Resolves when the server ends it. */
  async #watch(): Promise<void> {
    const { form, path } = this.#parts;
    const url = withQuery(path, {
      ...{ watch: '1', allowWatchBookmarks: 'true', resourceVersion: this.#version },
      timeoutSeconds: String(WATCH_SECONDS),
    });
    const response = await open('GET', url, {
      ...{ accept: form.acceptWatch ?? form.accept, signal: this.#closing.signal },
    });
    this.#retry.reached();
    if (this.#state.status !== 'live') this.#tell('live');
    if (response.body === null) return;
    for await (const line of linesOf(response.body)) {
      // Each line of a watch is an event.
      this.#take(JSON.parse(line) as WatchEvent);
      this.#retry.succeeded();
    }
  }

  /** Throws ApiError for an ERROR event. */
  #take({ type, object }: WatchEvent): void {
    const { form } = this.#parts;
    if (type === 'ERROR') throw errorOf(object.code ?? 500, object);
    if (type === 'BOOKMARK') {
      // A table's bookmark has its version in its own metadata, or in that of its row.
      const [row] = object.metadata?.resourceVersion === undefined ? form.changed(object) : [];
      const version = object.metadata?.resourceVersion ?? (row && form.metadata(row).resourceVersion);
      if (version !== undefined && version !== '') this.#version = version;
      return;
    }
    for (const item of form.changed(object)) {
      const metadata = form.metadata(item);
      if (type === 'DELETED') this.#items.delete(keyOf(metadata));
      else this.#items.set(keyOf(metadata), item);
      if (metadata.resourceVersion !== undefined) this.#version = metadata.resourceVersion;
    }
    this.#changed();
  }

  #changed(): void {
    if (this.#pending) return;
    this.#pending = true;
    this.#parts.schedule(() => {
      this.#pending = false;
      if (!this.#closing.signal.aborted) this.#tell(this.#state.status, this.#state.error);
    });
  }

  #tell(status: LiveStatus, error?: ApiError): void {
    this.#state = { status, items: [...this.#items.values()], error, more: this.#more };
    for (const listener of this.#listeners) listener();
  }
}

const keyOf = ({ namespace = '', name = '' }: ObjectMeta): string => `${namespace}/${name}`;

const onFrame = (tell: () => void): void => {
  // A tab that is not looked at has no frames.
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
