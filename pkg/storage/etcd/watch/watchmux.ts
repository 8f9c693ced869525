/**
 * The one watch of etcd, over everything under the prefix, that feeds all watches of the process. One that begins
 * in the past first catches up on a watch of its own.
 */
import { StorageError } from '../../interface.js';
import type { StorageWatch, KeyRange } from '../../interface.js';
import type { EtcdClient } from '../client.js';
import { decodeRevision } from './events.js';
import type { KeyedEvent } from './events.js';
import type { Feed, FeedItem } from './revisionwatch.js';
import { followFeed, type FeedSteps } from './rewatch.js';
import type { History } from '../history.js';
import type { KeySpace } from '../keyspace.js';
import { etcdRevisionOf, firstEtcdRevisionAfter, newestOf } from '../revision.js';
import { subscription } from './subscription.js';
import type { Subscription } from './subscription.js';

export interface WatchHub {
  watch(range: KeyRange, after: number, standing?: () => void): StorageWatch;
  /** Asks etcd for progress now, when everything up to `revision` has not come yet. */
  hurry(revision: number): void;
  close(): Promise<void>;
}

/** Progress is asked for so often, and a watch that says nothing for so long is opened anew. */
const PROGRESS_MS = 1_000;
const SILENCE_MS = 5_000;
const CATCH_UP_PROGRESS_MS = 50;
const HURRY_AGAIN_MS = 20;

/** @param from the etcd revision after which it watches. */
export function watchHub(client: EtcdClient, keys: KeySpace, past: History, from: number): WatchHub {
  let reached = from;
  let closed = false;
  let feed: Feed | undefined;
  /** Whether etcd has confirmed the feed that is open. */
  let stands = false;
  let heard = Date.now();
  let hurried = { revision: 0, at: 0 };
  const joined = new Set<Subscription>();
  const all = new Set<Subscription>();
  const closing = new AbortController();

  const ticker = setInterval(() => {
    if (Date.now() - heard > SILENCE_MS) {
      heard = Date.now();
      feed?.cancel();
    } else feed?.requestProgress();
  }, PROGRESS_MS);
  ticker.unref();

  const follow = (steps: FeedSteps) => followFeed(client, keys, steps, closing.signal);

  function dispatch({ revisions, upTo }: FeedItem): void {
    heard = Date.now();
    if (!stands) for (const one of joined) one.stand();
    stands = true;
    if (upTo <= reached) return;
    const events: KeyedEvent[] = [];
    for (const raw of revisions) {
      if (raw.etcdRevision <= reached) continue;
      const decoded = decodeRevision(keys, raw);
      if (decoded === undefined) {
        endAll(newestOf(raw.etcdRevision));
        events.length = 0;
      } else for (const event of decoded) events.push(event);
    }
    reached = upTo;
    past.note(newestOf(upTo));
    for (const one of [...joined]) one.push(events, newestOf(upTo));
  }

  function endAll(oldest: number): void {
    for (const one of [...joined]) {
      if (one.reached() < oldest) one.end(compacted(one, oldest));
    }
  }

  async function run(): Promise<void> {
    while (!closed) {
      const end = await follow({
        wanted: () => !closed,
        start: () => reached + 1,
        onOpen: (opened) => {
          feed = opened;
          heard = Date.now();
        },
        onItem: dispatch,
        onClose: () => {
          stands = false;
          client.interrupted();
        },
      });
      if (end === undefined) continue;
      endAll(newestOf(end.etcdRevision));
      reached = Math.max(reached, end.etcdRevision);
    }
  }

  /** Delivers the past, until what it has delivered meets what the hub has. */
  async function catchUp(one: Subscription): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let own: Feed | undefined;
    one.onEnd(() => own?.cancel());
    const end = await follow({
      wanted: () => !one.ended() && !joined.has(one),
      start: () => firstEtcdRevisionAfter(one.reached()),
      onOpen: (opened) => {
        own = opened;
        clearInterval(timer);
        timer = setInterval(() => opened.requestProgress(), CATCH_UP_PROGRESS_MS);
      },
      onItem: async ({ revisions, upTo }) => {
        one.stand();
        for (const raw of revisions) {
          const decoded = decodeRevision(keys, raw);
          if (decoded === undefined) return one.end(compacted(one, newestOf(raw.etcdRevision)));
          one.push(decoded, newestOf(raw.etcdRevision));
          await one.room();
        }
        one.push([], newestOf(upTo));
        if (upTo >= reached && !one.ended()) joined.add(one);
      },
    }).finally(() => clearInterval(timer));
    if (end !== undefined) one.end(compacted(one, newestOf(end.etcdRevision)));
  }

  const running = run();
  return {
    watch: (range, after, standing) => {
      const one = subscription(keys.dataRange(range), after, standing);
      one.onEnd(() => {
        joined.delete(one);
        all.delete(one);
      });
      if (closed) {
        one.end();
        return one.watch;
      }
      all.add(one);
      try {
        past.checkReadable(after);
        if (firstEtcdRevisionAfter(after) <= reached) void catchUp(one);
        else {
          joined.add(one);
          if (stands) one.stand();
        }
      } catch (error) {
        one.end(error as StorageError);
      }
      return one.watch;
    },
    hurry: (revision) => {
      const wanted = etcdRevisionOf(revision);
      const asked = wanted <= hurried.revision && Date.now() - hurried.at < HURRY_AGAIN_MS;
      if (wanted <= reached || asked) return;
      hurried = { revision: wanted, at: Date.now() };
      feed?.requestProgress();
    },
    close: async () => {
      closed = true;
      closing.abort();
      clearInterval(ticker);
      for (const one of [...all]) one.end();
      feed?.cancel();
      await running;
    },
  };
}

function compacted(one: Subscription, oldest: number): StorageError {
  return new StorageError({ code: 'compacted', revision: one.reached(), oldest });
}
