import { expect, test } from '@jest/globals';
import { CacheUnavailable, type Cache, type CacheEvent, type Subscriber } from '../../cache/interface.js';
import { watchAccess } from './accessrevision.js';

/** A cache whose resources have no objects, with functions that notify and end its followers. */
function world() {
  const subscribers = new Set<Subscriber>();
  let loaded = true;
  let subscribed = 0;
  const resource = {
    latest() {
      if (!loaded) throw new CacheUnavailable();
      return { revision: 1, entries: () => [] };
    },
    subscribe(_options: unknown, subscriber: Subscriber) {
      subscribers.add(subscriber);
      subscribed += 1;
      return { cancel: () => undefined };
    },
  };
  const lapses: (() => void)[] = [];
  let begun = 0;
  const access = watchAccess(
    { resource: () => resource } as unknown as Pick<Cache, 'resource'>,
    {},
    {
      begin: () => void (begun += 1),
      onChange: () => undefined,
      onLapse: (listener) => void lapses.push(listener),
    },
  );
  return {
    access,
    counts: () => ({ subscribed, begun }),
    change: () => [...subscribers][0]?.events([{ deleted: true } as CacheEvent]),
    lapse: () => lapses.forEach((one) => one()),
    load: (now: boolean) => void (loaded = now),
    end() {
      const ended = [...subscribers];
      subscribers.clear();
      for (const one of ended) one.end();
    },
  };
}

test('does not read caches while all are watched', () => {
  const { access, counts, change } = world();
  const first = access.current();
  const { subscribed, begun } = counts();
  expect(access.current()).toBe(first);
  expect(counts()).toEqual({ subscribed, begun });
  change();
  expect(access.current()).toBeGreaterThan(first);
});

test('reads a rebuilt cache or unwatched objects again, and counts a change', () => {
  const { access, counts, end, lapse } = world();
  const first = access.current();
  const { subscribed, begun } = counts();
  end();
  expect(access.current()).toBeGreaterThan(first);
  expect(counts()).toEqual({ subscribed: subscribed * 2, begun: begun + 1 });
  lapse();
  access.current();
  expect(counts().begun).toBe(begun + 2);
});

test('the revision is unknown until all caches are loaded', () => {
  const { access, end, load } = world();
  const first = access.current();
  load(false);
  end();
  expect(access.current()).toBeNaN();
  expect(access.current()).toBeNaN();
  load(true);
  expect(access.current()).toBeGreaterThan(first);
});
