/** A watcher of one kind, in one of several modes. It records all of its streams. */
import { linesOf } from '../../fixtures/clients/watchstream.js';
import { stateOf } from '../../fixtures/clients/watchfollower.js';
import type { History, StreamItem, StreamRecord } from '../history/history.js';
import { isOurs, shownObject, type Kind } from '../history/kinds.js';

/**
 * `informer`: lists first, and starts each stream where the last one ended, with bookmarks. `steady`: like an informer,
 * but without bookmarks, and its streams do not end early. `past`: starts each stream at a revision that was seen
 * before. `plain`: starts each stream without a resourceVersion. `initial`: starts each stream with
 * `sendInitialEvents`.
 */
export type WatchMode = 'informer' | 'steady' | 'past' | 'plain' | 'initial';

export const WATCH_MODES: readonly WatchMode[] = ['informer', 'steady', 'past', 'plain', 'initial'];

export interface WatcherOptions {
  readonly number: number;
  readonly mode: WatchMode;
  readonly kind: Kind;
  readonly history: History;
  readonly servers: readonly string[];
  readonly random: () => number;
  /** The name of the object that is written last. */
  readonly lastName: string;
  /** Whether the run is aborted. */
  readonly isOver: () => boolean;
}

interface Line {
  readonly type: StreamItem['type'] | 'ERROR';
  readonly object: {
    readonly code?: number;
    readonly metadata: {
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
}

type Start = Pick<StreamRecord, 'after' | 'from' | 'initial'>;

const RETRY_MS = 50;
const STEADY_SECONDS = 3_600;
/** The timeout of streams that end early; bookmarks are sent two seconds before the end. */
const SHORT_SECONDS = 3;
const MAX_ITEMS = 300;
/** The number of revisions from which a watcher in mode `past` chooses. */
const PAST = 400;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export class Watcher {
  private after: Pick<StreamRecord, 'after' | 'from'> | undefined;
  private readonly past: number[] = [];
  /** The number of lists besides the first, because the revision was compacted. */
  relists = 0;
  private isDone = false;

  constructor(readonly options: WatcherOptions) {}

  get sawLast(): boolean {
    return this.isDone;
  }

  /** Resolves when the watcher has seen the last object, or the run is aborted. */
  async run(): Promise<void> {
    while (!this.isDone && !this.options.isOver()) {
      const server = this.server();
      const went = await this.stream(server).catch(() => false);
      if (!went) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  private server(): string {
    const { servers, random } = this.options;
    return servers[Math.floor(random() * servers.length)] as string;
  }

  /** Returns whether there was a stream. Rejects if there is no response. */
  private async stream(server: string): Promise<boolean> {
    const { kind, history, random, number: watcher, mode } = this.options;
    const start = await this.start(server);
    const items: StreamItem[] = [];
    const record: StreamRecord = { watcher, server, kind: kind.name, ...start, items };
    const enough = mode === 'steady' || random() < 0.4 ? Infinity : 1 + random() * MAX_ITEMS;
    let refused = '';
    const take = (text: string): boolean => {
      const line = parsed(text);
      const item = line && itemOf(line);
      if (item === undefined) refused = text;
      else if (item.type === 'BOOKMARK' || isOurs(item.object)) {
        if (items.length === 0) history.streams.push(record);
        this.take(record, item);
      }
      // In mode `steady`, the stream ends with the last object.
      return items.length < enough && !(mode === 'steady' && this.isDone);
    };
    const status = await linesOf(`${server}${kind.collection}?${this.query(start)}`, take);
    if (status === 200 && refused === '') return true;
    this.refused(refused, status);
    return false;
  }

  private query({ after, initial }: Start): string {
    const { mode } = this.options;
    const seconds = mode === 'steady' ? STEADY_SECONDS : SHORT_SECONDS;
    const bookmarks = mode === 'informer' || initial;
    return [
      `watch=1&timeoutSeconds=${seconds}`,
      ...(after === undefined ? [] : [`resourceVersion=${after}`]),
      ...(bookmarks ? ['allowWatchBookmarks=true'] : []),
      ...(initial ? ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan'] : []),
    ].join('&');
  }

  private async start(server: string): Promise<Start> {
    const { mode, kind, random } = this.options;
    if (mode === 'plain' || mode === 'initial') return { initial: mode === 'initial' };
    if (mode === 'past' && this.past.length > 0) {
      const after = this.past[Math.floor(random() * this.past.length)];
      return { after, from: 'past', initial: false };
    }
    if (this.after === undefined) {
      const { version } = await stateOf({ url: server }, kind.collection);
      this.after = { after: Number(version), from: 'list' };
    }
    return { ...this.after, initial: false };
  }

  private take({ items }: StreamRecord, item: StreamItem): void {
    items.push(item);
    const isBookmark = item.type === 'BOOKMARK';
    const revision = isBookmark ? item.revision : item.object.revision;
    this.after = { after: revision, from: isBookmark ? 'bookmark' : 'event' };
    this.past.push(revision);
    if (this.past.length > PAST) this.past.shift();
    if (!isBookmark && item.object.name === this.options.lastName) this.isDone = true;
  }

  private refused(text: string, status: number | undefined): void {
    const code = parsed(text)?.object.code ?? status ?? 0;
    if (code === 410) {
      this.after = undefined;
      this.past.splice(0);
      this.relists += 1;
    } else if (code !== 429 && code < 500) {
      this.options.history.disorders.push(`watch ${this.options.kind.name}: ${status} ${text.slice(0, 300)}`);
    }
  }
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** Undefined: an error. */
function itemOf({ type, object }: Line): StreamItem | undefined {
  if (type === 'BOOKMARK') {
    const { resourceVersion, annotations } = object.metadata;
    const endsInitial = annotations?.[INITIAL_EVENTS_END] === 'true';
    return { type, revision: Number(resourceVersion), endsInitial };
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return undefined;
  return { type, object: shownObject(object) };
}
