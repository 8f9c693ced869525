import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { HostUnreachable, type HostAnswer, type HostEvent } from '../../hostclient/interface.js';
import { follow } from './follow.js';
import { freshnessOf } from './freshness.js';
import { followedPlaces } from './places.js';
import { readKeySet } from './signingkeys.js';

const named = (name: string, resourceVersion: string): KubeObject => ({
  kind: 'Thing',
  apiVersion: 'v1',
  metadata: { name, resourceVersion },
});
const event = (type: HostEvent['type'], object: unknown): HostEvent => ({ type, object });

/** Runs until all watches were opened. Returns the events for the sink, and the requests. */
async function run(
  lists: readonly HostAnswer[],
  watches: readonly (readonly (HostEvent | Error)[])[],
): Promise<{ sink: string[]; asked: string[]; connected: boolean[]; failures: string[] }> {
  const stop = new AbortController();
  const seen = {
    sink: [] as string[],
    asked: [] as string[],
    connected: [] as boolean[],
    failures: [] as string[],
  };
  const left = { lists: [...lists], watches: [...watches] };
  async function* watch(path: string, _signal: AbortSignal, begun?: () => void): AsyncGenerator<HostEvent> {
    seen.asked.push(new URLSearchParams(path.split('?')[1]).get('resourceVersion') ?? '');
    begun?.();
    const events = left.watches.shift();
    if (events === undefined) return stop.abort();
    for (const one of events) {
      if (one instanceof Error) throw one;
      yield await Promise.resolve(one);
    }
  }
  await follow({
    path: '/things',
    signal: stop.signal,
    failed: (why) => seen.failures.push(why),
    client: {
      watch,
      send({ path }) {
        seen.asked.push(path);
        return Promise.resolve(left.lists.shift() as HostAnswer);
      },
    },
    connected: (is) => seen.connected.push(is),
    sink: {
      replace: (objects) => seen.sink.push(`all ${objects.map(({ metadata }) => metadata.name).join()}`),
      put: ({ metadata }) => seen.sink.push(`+${metadata.name ?? ''}`),
      remove: ({ metadata }) => seen.sink.push(`-${metadata.name ?? ''}`),
    },
  });
  return seen;
}

const list = (resourceVersion: string, names: readonly string[], next = ''): HostAnswer => ({
  status: 200,
  body: { metadata: { resourceVersion, continue: next }, items: names.map((name) => named(name, '1')) },
  retryAfterMs: undefined,
});

describe('following a kind', () => {
  test('resumes its watch, and never goes back to revoked state', async () => {
    const away = new HostUnreachable('away', true);
    const { sink, asked } = await run(
      [list('5', ['a'])],
      [
        [event('MODIFIED', named('a', '6')), event('BOOKMARK', named('', '9')), away],
        [event('DELETED', named('a', '11'))],
      ],
    );
    expect(sink).toEqual(['all a', '+a', '-a']);
    expect(asked).toEqual(['/things?limit=500', '5', '9', '11']);
  });

  test('lists again, in pages, when a watch cannot resume', async () => {
    const gone = event('ERROR', { code: 410, message: 'too old' });
    const { sink, asked, connected } = await run(
      [list('5', ['a']), list('', ['b'], 'next'), list('7', ['c'])],
      [[gone]],
    );
    expect(sink).toEqual(['all a', 'all b,c']);
    expect(asked).toEqual([
      '/things?limit=500',
      '5',
      '/things?limit=500',
      '/things?limit=500&continue=next',
      '7',
    ]);
    expect(connected.slice(0, 3)).toEqual([true, false, true]);
  });

  test('keeps its state when a request is refused', async () => {
    const refused: HostAnswer = { status: 403, body: { message: 'no' }, retryAfterMs: undefined };
    const { sink, failures } = await run([refused, list('1', ['a'])], []);
    expect(sink).toEqual(['all a']);
    expect(failures).toEqual(['/things: 403 no']);
  });
});

test('freshness is that of the oldest source, and requires all of them', () => {
  const freshness = freshnessOf(['a', 'b']);
  expect(freshness.age(10)).toBe(Infinity);
  freshness.connected('a', true, 10);
  freshness.connected('b', false, 15);
  expect(freshness.age(20)).toBe(Infinity);
  freshness.connected('b', true, 20);
  expect(freshness.age(1000)).toBe(0);
  freshness.connected('a', false, 1000);
  freshness.connected('a', false, 1500);
  expect(freshness.age(2000)).toBe(1000);
});

test('finds only places in this cluster', () => {
  const places = followedPlaces('east', 'loft-p-');
  const at = (namespace: string, name: string, clusterRef: object): KubeObject =>
    ({ metadata: { namespace, name }, spec: { clusterRef } }) as unknown as KubeObject;
  const s = { kind: 'space', project: 'p', name: 's' } as const;
  places.spaces.put(at('loft-p-p', 's', { cluster: 'east', namespace: 'ns' }));
  expect(places.find(s)).toEqual({ namespace: 'ns' });
  expect(places.find({ ...s, kind: 'virtualcluster' })).toBeUndefined();
  places.spaces.put(at('loft-p-p', 's', { cluster: 'west', namespace: 'ns' }));
  expect(places.find(s)).toBeUndefined();
  places.spaces.put(at('loft-p-p', 's', { cluster: 'east' }));
  expect(places.find(s)).toBeUndefined();
  places.spaces.put(at('other', 's', { cluster: 'east', namespace: 'ns' }));
  expect(places.find({ ...s, project: 'other' })).toBeUndefined();
});

test('takes only public ES256 keys from a key set', () => {
  const good = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: 'k', x: 'x', y: 'y' };
  const wrong = [
    { ...good, kid: 'a', alg: 'HS256' },
    { ...good, kid: 'b', use: 'enc' },
    { ...good, kid: 'c', crv: 'P-384' },
    { kty: 'oct', kid: 'd', k: 'x' },
    { ...good, kid: undefined },
    { ...good, kid: '' },
    null,
    'x',
    1,
  ];
  expect([...readKeySet({ keys: [...wrong, { ...good, d: 'secret' }] }).values()]).toEqual([good]);
  for (const none of [undefined, null, {}, { keys: 'x' }, []]) expect(readKeySet(none).size).toBe(0);
});
