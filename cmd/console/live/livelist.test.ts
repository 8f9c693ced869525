import { afterEach, expect, test } from '@jest/globals';
import type { ObjectMeta } from '../../../api/resource.js';
import { objects } from '../client/forms.js';
import { LiveList } from './livelist.js';

interface Thing {
  readonly metadata: ObjectMeta;
}

type Answering = (url: URL, signal: AbortSignal) => Response | Promise<Response>;

const realFetch = globalThis.fetch;
let list: LiveList<Thing> | undefined;
afterEach(() => {
  list?.close();
  globalThis.fetch = realFetch;
});

const thing = (name: string, resourceVersion: string) => ({
  metadata: { namespace: 'n', name, resourceVersion },
});
const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });
const page = (resourceVersion: string, items: unknown[], more = ''): Response =>
  json({ metadata: { resourceVersion, ...(more !== '' && { continue: more }) }, items });

/** A watch that sends this text and then ends, or stays open until it is aborted. */
const stream = (text: string, signal?: AbortSignal): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        // In chunks that are no lines.
        for (let at = 0; at < text.length; at += 7)
          controller.enqueue(new TextEncoder().encode(text.slice(at, at + 7)));
        if (signal === undefined) controller.close();
        else signal.addEventListener('abort', () => controller.error(new Error('aborted')));
      },
    }),
  );

/** Answers requests in turn, and further requests with the last answer. Returns the requested URLs. */
function serve(...answers: Answering[]): URL[] {
  const asked: URL[] = [];
  globalThis.fetch = (url, init) => {
    const at = new URL(String(url), 'https://x');
    asked.push(at);
    const answer = answers[Math.min(asked.length, answers.length) - 1] as Answering;
    return Promise.resolve(answer(at, init?.signal as AbortSignal));
  };
  return asked;
}

const begin = (): LiveList<Thing> =>
  (list = new LiveList<Thing>({
    path: '/apis/g/v1/things',
    form: objects((object) => ({ metadata: object.metadata })),
    schedule: (tell) => queueMicrotask(tell),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  }));

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('did not come');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const names = (): string[] => (list?.state().items ?? []).map(({ metadata }) => metadata.name ?? '').sort();
const version = (url: URL | undefined): string | null | undefined => url?.searchParams.get('resourceVersion');

test('lists in pages, watches from the version of the list, and takes changes', async () => {
  const asked = serve(
    () => page('5', [thing('a', '1')], 'more'),
    () => page('5', [thing('b', '2')]),
    (_url, signal) =>
      stream(
        event('ADDED', thing('c', '6')) +
          event('MODIFIED', thing('a', '7')) +
          event('DELETED', thing('b', '8')),
        signal,
      ),
  );
  begin();
  await until(() => names().join() === 'a,c');
  expect(list?.state()).toMatchObject({ status: 'live', error: undefined });
  expect(list?.state().items.find(({ metadata }) => metadata.name === 'a')?.metadata.resourceVersion).toBe(
    '7',
  );
  expect(asked.map(({ pathname }) => pathname)).toEqual(Array(3).fill('/console/api/apis/g/v1/things'));
  expect(asked[1]?.searchParams.get('continue')).toBe('more');
  expect(version(asked[2])).toBe('5');
  expect(asked[2]?.searchParams.get('allowWatchBookmarks')).toBe('true');
});

test('resumes from the last event or bookmark, and takes no line that was cut off', async () => {
  const asked = serve(
    () => page('5', [thing('a', '1')]),
    () => stream(event('ADDED', thing('b', '6')) + event('ADDED', thing('cut', '99')).slice(0, -9)),
    () => stream(event('BOOKMARK', { metadata: { resourceVersion: '42' } })),
    (_url, signal) => stream('', signal),
  );
  begin();
  await until(() => asked.length === 4);
  expect(asked.slice(1).map(version)).toEqual(['5', '6', '42']);
  expect(names()).toEqual(['a', 'b']);
});

test.each<[string, Answering]>([
  [
    'as an event',
    () => stream(event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'old' })),
  ],
  ['as an answer', () => json({ kind: 'Status', code: 410, reason: 'Expired', message: 'old' }, 410)],
])('lists anew where the version is too old, %s', async (_how, expired) => {
  const asked = serve(
    () => page('5', [thing('gone', '1')]),
    expired,
    () => page('50', [thing('new', '49')]),
    (_url, signal) => stream('', signal),
  );
  begin();
  await until(() => asked.length === 4 && names().join() === 'new');
  expect(version(asked[3])).toBe('50');
});

test('shows its items while the server is away, and goes on when it is back', async () => {
  let away = true;
  const asked = serve(
    () => page('5', [thing('a', '1')]),
    (_url, signal) =>
      away
        ? Promise.reject(new TypeError('failed to fetch'))
        : stream(event('ADDED', thing('b', '6')), signal),
  );
  begin();
  await until(() => list?.state().status === 'stale');
  expect(names()).toEqual(['a']);
  away = false;
  await until(() => names().join() === 'a,b');
  expect(list?.state().status).toBe('live');
  expect(version(asked.at(-1))).toBe('5');
});

test('still loads, and says why, as long as the server was never reached', async () => {
  let away = true;
  serve((url, signal) => {
    if (away) return Promise.reject(new TypeError('failed to fetch'));
    return url.searchParams.has('watch') ? stream('', signal) : page('5', [thing('a', '1')]);
  });
  begin();
  await until(() => list?.state().error !== undefined);
  expect(list?.state()).toMatchObject({ status: 'loading', error: { code: 0 } });
  away = false;
  await until(() => list?.state().status === 'live');
  expect([names(), list?.state().error]).toEqual([['a'], undefined]);
});

test('waits briefly after a watch that had events, however often the server was away before', async () => {
  const broken = (): Promise<Response> => Promise.reject(new TypeError('failed to fetch'));
  const told = (): Response => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer.write(new TextEncoder().encode(event('ADDED', thing('b', '6')))).then(
      () => writer.abort(new TypeError('network error')),
      () => undefined,
    );
    return new Response(readable);
  };
  const asked = serve(() => page('5', []), broken, broken, broken, broken, told, broken);
  const pauses: number[] = [];
  list = new LiveList<Thing>({
    path: '/p',
    form: objects((object) => ({ metadata: object.metadata })),
    schedule: (tell) => queueMicrotask(tell),
    wait: (ms) => {
      pauses.push(ms);
      return pauses.length > 5 ? new Promise(() => undefined) : Promise.resolve();
    },
  });
  await until(() => pauses.length === 6);
  expect(pauses.slice(0, 4).every((ms, at) => ms >= 250 * 2 ** at && ms <= 500 * 2 ** at)).toBe(true);
  expect(pauses[4]).toBeLessThanOrEqual(500);
  expect(asked.slice(1, 6).map(version)).toEqual(Array(5).fill('5'));
});

test('is live again only when its watch is, and then every list that waits asks at once', async () => {
  let away = true;
  const states: string[] = [];
  globalThis.fetch = (url, init) => {
    const at = new URL(String(url), 'https://x');
    if (!at.searchParams.has('watch')) return Promise.resolve(page('5', [thing('a', '1')]));
    const answer = away ? Promise.reject(new TypeError('failed to fetch')) : undefined;
    return answer ?? Promise.resolve(stream('', init?.signal as AbortSignal));
  };
  // One list retries by itself; the other would wait for an hour.
  begin();
  const other = new LiveList<Thing>({
    path: '/other',
    form: objects((object) => ({ metadata: object.metadata })),
    schedule: (tell) => queueMicrotask(tell),
    wait: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  });
  try {
    await until(() => list?.state().status === 'stale' && other.state().status === 'stale');
    list?.subscribe(() => states.push(list?.state().status ?? ''));
    await until(() => states.length > 3);
    expect(new Set(states)).toEqual(new Set(['stale']));
    away = false;
    await until(() => list?.state().status === 'live' && other.state().status === 'live');
  } finally {
    other.close();
  }
});

test('asks no more after a 401, keeps what it shows, and goes on when somebody has logged in again', async () => {
  const asked = serve(
    () => page('5', [thing('a', '1')]),
    () => json({ kind: 'Status', code: 401, reason: 'R', message: 'why not' }, 401),
    (_url, signal) => stream(event('ADDED', thing('b', '6')), signal),
  );
  begin();
  await until(() => list?.state().status === 'stale');
  expect([names(), list?.state().error]).toMatchObject([['a'], { code: 401, message: 'why not' }]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked.length).toBe(2);
  list?.renew();
  await until(() => list?.state().status === 'live' && names().join() === 'a,b');
  expect(asked.length).toBe(3);
});

test('shows nothing any more after a 403, and lists anew when it may again', async () => {
  let allowed = false;
  serve(
    () => page('5', [thing('a', '1')]),
    () => json({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'why not' }, 403),
    (url, signal) => {
      if (!allowed) return json({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'why not' }, 403);
      return url.searchParams.has('watch') ? stream('', signal) : page('9', [thing('b', '8')]);
    },
  );
  begin();
  await until(() => list?.state().status === 'refused');
  expect([names(), list?.state().error?.message]).toEqual([[], 'why not']);
  allowed = true;
  await until(() => list?.state().status === 'live');
  expect(names()).toEqual(['b']);
});

test('asks before it lists, and again while it may not, so that no list is refused', async () => {
  let may = false;
  const asked = serve((url, signal) =>
    url.searchParams.has('watch') ? stream('', signal) : page('9', [thing('b', '8')]),
  );
  const reviewed: string[] = [];
  list = new LiveList<Thing>({
    path: '/apis/g/v1/things',
    form: objects((object) => ({ metadata: object.metadata })),
    schedule: (tell) => queueMicrotask(tell),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
    mayList: (path) => {
      reviewed.push(path);
      return Promise.resolve(may);
    },
  });
  await until(() => reviewed.length > 3);
  expect([list.state().status, asked.length]).toEqual(['refused', 0]);
  may = true;
  await until(() => list?.state().status === 'live');
  expect(names()).toEqual(['b']);
});

test('a list of one object that somebody has opened is refused once, and then asked for', async () => {
  const asked = serve(() => json({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }, 403));
  let reviews = 0;
  list = new LiveList<Thing>({
    path: '/apis/g/v1/things?fieldSelector=metadata.name%3Da',
    form: objects((object) => ({ metadata: object.metadata })),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
    mayList: () => Promise.resolve(++reviews < 0),
  });
  await until(() => reviews > 3);
  expect([list.state().status, asked.length]).toEqual(['refused', 1]);
});

test('notifies once for all changes of a frame', async () => {
  let tell: (() => void) | undefined;
  const changes = Array.from({ length: 100 }, (_one, at) => event('ADDED', thing(`t${at}`, String(6 + at))));
  serve(
    () => page('5', []),
    (_url, signal) => stream(changes.join(''), signal),
  );
  list = new LiveList<Thing>({
    path: '/p',
    form: objects((object) => ({ metadata: object.metadata })),
    schedule: (soon) => (tell = soon),
    wait: () => Promise.resolve(),
  });
  let told = 0;
  await until(() => list?.state().status === 'live');
  list.subscribe(() => (told += 1));
  await until(() => tell !== undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  tell?.();
  expect([told, names().length]).toEqual([1, 100]);
});

test('a list that was closed asks for nothing', async () => {
  const asked = serve(
    () => page('5', []),
    () => stream(''),
  );
  begin();
  await until(() => asked.length > 2);
  list?.close();
  const before = asked.length;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked.length).toBeLessThanOrEqual(before + 1);
});
