/**
 * Keeps a collection up to date: lists it in pages, then watches it from the resourceVersion of the list. A watch that
 * ends is resumed from the last version that the server sent (in events and bookmarks). If that version is too old, the
 * collection is listed again.
 */
import type { ObjectMeta } from '../../../api/resource.js';
import type { Form } from '../client/forms.js';
import { withQuery } from '../client/paths.js';
import { linesOf } from './lines.js';
import { open, send } from '../client/request.js';
import { ApiError, errorOf } from '../client/status.js';
import { sessionEnded } from '../session/session.js';
import { Retry, type Wait } from './retry.js';

/** `stale`: the items are those of the last response, and the server cannot be reached now. */
export type LiveStatus = 'loading' | 'live' | 'stale' | 'refused';

export interface LiveState<Item> {
  readonly status: LiveStatus;
  readonly items: readonly Item[];
  /** The reason for `stale` or `refused`. */
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
}

const PAGE = 1000;
/** A refused list is retried, as the user may get the right. */
const REFUSED_PAUSE_MS = 4_000;
/** The server ends a watch after this time; a proxy may end it sooner. */
const WATCH_SECONDS = 600;

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: { readonly metadata?: ObjectMeta; readonly code?: number };
}

export class LiveList<Item> {
  private items = new Map<string, Item>();
  private current: LiveState<Item> = { status: 'loading', items: [], error: undefined };
  private version = '';
  private pending = false;
  private more = false;
  private renewNow: (() => void) | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly closing = new AbortController();
  private readonly parts: Required<LiveListParts<Item>>;
  private readonly retry: Retry;

  constructor(parts: LiveListParts<Item>) {
    this.parts = { schedule: onFrame, wait: pause, maxPages: Infinity, ...parts };
    this.retry = new Retry(this.parts.wait);
    void this.run();
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

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        if (this.version === '') {
          await this.list();
          this.tell('live');
        }
        await this.watch();
        await this.retry.pause(signal, false);
      } catch (error) {
        if (signal.aborted) return;
        const known = error instanceof ApiError ? error : new ApiError(0, '', String(error));
        if (known.code === 410) this.version = '';
        else if (known.code === 401) {
          // A watch ends with its session: the login is shown in front of the page, and `renew` continues.
          sessionEnded();
          this.tell('stale', known);
          await this.renewed(signal);
        } else if (![400, 403, 404, 405].includes(known.code)) {
          this.tell('stale', known);
          await this.retry.pause(signal, known.code === 0);
        } else {
          // Objects that the user may not see any more are hidden. A new right shows them without a reload.
          this.items = new Map();
          this.version = '';
          this.tell('refused', known);
          if (![403, 404].includes(known.code)) return;
          await this.retry.pause(signal, false, REFUSED_PAUSE_MS);
        }
      }
    }
  }

  private async list(): Promise<void> {
    const { form, path, maxPages } = this.parts;
    const { signal } = this.closing;
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
    this.version = version;
  }

  /** Resolves when the server ends the watch. */
  private async watch(): Promise<void> {
    const { form, path } = this.parts;
    const url = withQuery(path, {
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: this.version,
      timeoutSeconds: String(WATCH_SECONDS),
    });
    const response = await open('GET', url, {
      accept: form.acceptWatch ?? form.accept,
      signal: this.closing.signal,
    });
    this.retry.reached();
    if (this.current.status !== 'live') this.tell('live');
    if (response.body === null) return;
    for await (const line of linesOf(response.body)) {
      // Each line of a watch is an event.
      this.take(JSON.parse(line) as WatchEvent);
      this.retry.succeeded();
    }
  }

  /** Throws ApiError for an ERROR event. */
  private take({ type, object }: WatchEvent): void {
    const { form } = this.parts;
    if (type === 'ERROR') throw errorOf(object.code ?? 500, object);
    if (type === 'BOOKMARK') {
      // The version of a table's bookmark is in the metadata of the table, or in that of its row.
      const [row] = object.metadata?.resourceVersion === undefined ? form.changed(object) : [];
      const version = object.metadata?.resourceVersion ?? (row && form.metadata(row).resourceVersion);
      if (version !== undefined && version !== '') this.version = version;
      return;
    }
    for (const item of form.changed(object)) {
      const metadata = form.metadata(item);
      if (type === 'DELETED') this.items.delete(keyOf(metadata));
      else this.items.set(keyOf(metadata), item);
      if (metadata.resourceVersion !== undefined) this.version = metadata.resourceVersion;
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
