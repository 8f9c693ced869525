import { afterEach, expect, test } from '@jest/globals';
import { fromShared } from '../../../test/fixtures/agents/secretsteps.js';
import { eventually } from '../../../test/fixtures/wait.js';
import { failure } from '../../apimachinery/errors.js';
import {
  AnswerTooLarge,
  type ClusterAnswer,
  type ClusterRequest,
  type ClusterWatch,
  type Connection,
} from '../clusters/client/interface.js';
import type { Instance } from './places.js';
import { PlaceSync } from './placesync.js';
import type { Wanted } from './plan.js';

const INSTANCE: Instance = {
  key: 'SpaceInstance/p/s',
  kind: 'SpaceInstance',
  namespace: 'p',
  name: 's',
  what: 'SpaceInstance p/s',
  owner: { user: 'anna' },
  labels: {},
  place: 'cluster/east',
  inside: 'n',
};
const FILLED: Wanted = {
  is: 'filled',
  keys: undefined,
  what: 'SharedSecret default/db',
  source: { uid: 'u', resourceVersion: '1', owner: 'o', data: { a: 'YQ==' } },
};
const FORBIDDEN: Wanted = { is: 'empty', reason: 'Forbidden', message: '' };
const found = (object: Readonly<Record<string, unknown>>): ClusterAnswer => ({ status: 200, object });
const secretOf = (name: string): object => ({
  metadata: { namespace: 'n', name, uid: name, resourceVersion: '1', labels: fromShared('db') },
});

const ELSEWHERE = {
  metadata: { namespace: 'o', name: 'other', uid: 'other', resourceVersion: '1', labels: fromShared('db') },
};

const running: PlaceSync[] = [];
afterEach(async () => {
  for (const sync of running.splice(0)) await sync.stop();
});

interface Syncing {
  readonly sync: PlaceSync;
  readonly written: string[];
  readonly counts: { reports: number; requests: number; reads: number };
  /** Deletes the namespaces of all Secrets after their instance was deleted. */
  readonly end: () => Promise<void>;
}

/**
 * A cluster with two Secrets; the responses about one of them are too large. `changed`: what is watched of the other while
 * the first Event is recorded.
 */
function syncing(wanted: Wanted, changed?: Readonly<{ type: string; object: object }>): Syncing {
  const written: string[] = [];
  const counts = { reports: 0, requests: 0, reads: 0 };
  let pending = changed;
  let isThere = true;
  const watches: ClusterWatch[] = [];
  let instances = [INSTANCE];
  const answer = ({ method, path, body }: ClusterRequest): ClusterAnswer => {
    if (path.startsWith('/api/v1/secrets?'))
      return found({
        items: path.includes('sharedsecret') ? ['large', 'small'].map(secretOf).concat(ELSEWHERE) : [],
        metadata: { resourceVersion: '1' },
      });
    if (path.includes('/events')) return { status: 201, object: {} };
    if (path.includes('/large'))
      throw new AnswerTooLarge(failure('Timeout', 'cluster "east" cannot be reached').status);
    if (instances.length === 0 || !isThere) return { status: 404, object: {} };
    if (method === 'PUT') written.push(path);
    else counts.reads += 1;
    return found({ ...secretOf('small'), ...(method === 'PUT' && body) });
  };
  const watched = (): Promise<boolean> =>
    eventually('both labels are watched', () => Promise.resolve(watches.length >= 2));
  const shared = (): ClusterWatch[] => watches.filter(({ path }) => path.includes('sharedsecret'));
  const connection: Connection = {
    server: '',
    authority: undefined,
    open: () => Promise.reject(new Error('not asked for')),
    close: () => undefined,
    async request(request) {
      if (request.path.includes('/events') && pending !== undefined) {
        const event = pending;
        pending = undefined;
        await watched();
        isThere = event.type !== 'DELETED';
        for (const { onEvent } of shared()) void onEvent(event);
      }
      return answer(request);
    },
    watch: (watch) =>
      new Promise((resolve) => {
        watches.push(watch);
        watch.signal.addEventListener('abort', () => resolve(200), { once: true });
      }),
  };
  const sync = new PlaceSync({
    place: INSTANCE.place,
    log: { info: () => undefined, warn: () => undefined },
    connect: () => Promise.resolve(connection),
    instancesAt: (namespace) => (namespace === 'n' ? instances : []),
    namespaces: () => ['n'],
    wanted() {
      counts.requests += 1;
      return Promise.resolve(wanted);
    },
    reportInstances: () => void (counts.reports += 1),
  });
  running.push(sync);
  const end = async (): Promise<void> => {
    await watched();
    instances = [];
    for (const { onEvent } of shared())
      for (const object of [...['large', 'small'].map(secretOf), ELSEWHERE])
        void onEvent({ type: 'DELETED', object });
  };
  return { sync, written, counts, end };
}

test('refuses a Secret that is too large to read, without delaying others', async () => {
  const { sync, written } = syncing(FILLED);
  await eventually('both were tried', () => {
    const outcomes = ['n/large', 'n/small'].map((key) => sync.targets.get(key)?.outcome?.reason);
    return Promise.resolve(outcomes.join() === 'Refused,Synced');
  });
  expect([sync.unreachable, written.length]).toEqual([undefined, 1]);
});

test('looks again at a Secret that is changed while its state is recorded', async () => {
  const { metadata } = secretOf('small') as { metadata: object };
  const object = { metadata: { ...metadata, resourceVersion: '9' } };
  const { sync, counts } = syncing(FORBIDDEN, { type: 'MODIFIED', object });
  await eventually('it was read again', () => Promise.resolve(counts.reads >= 2));
  await eventually('it rests', () => Promise.resolve(sync.depth <= 1));
});

test('forgets a Secret that is deleted while its state is recorded', async () => {
  const { sync, counts } = syncing(FORBIDDEN, { type: 'DELETED', object: secretOf('small') });
  await eventually('it was read', () => Promise.resolve(counts.reads >= 1));
  await eventually('it is forgotten', () => Promise.resolve(sync.targets.get('n/small') === undefined));
});

test('forgets Secrets whose namespace was deleted', async () => {
  const { sync, end } = syncing(FILLED);
  await eventually('both were tried', () => {
    const outcomes = ['n/large', 'n/small'].map((key) => sync.targets.get(key)?.outcome?.reason);
    return Promise.resolve(outcomes.join() === 'Refused,Synced' && sync.complete);
  });
  // The one in a namespace without an instance is ignored.
  expect([...sync.targets.keys()].sort()).toEqual(['n/large', 'n/small']);
  sync.declared.declare({
    namespace: 'n',
    name: 'site',
    mark: 'u Opaque',
    type: 'Opaque',
    labels: {},
    annotations: {},
  });
  await end();
  sync.enqueueAll();
  await eventually('none is known', () =>
    Promise.resolve(sync.targets.size === 0 && [...sync.declared.missing()].length === 0),
  );
});

test('does not retry a Secret that it is not permitted to create', async () => {
  const { sync, counts } = syncing(FORBIDDEN);
  await eventually('the others were looked at', () =>
    Promise.resolve(sync.complete && sync.depth <= 1 && counts.reports >= 2),
  );
  const { reports, requests } = counts;
  sync.declared.declare({
    namespace: 'n',
    name: 'site',
    mark: 'u Opaque',
    type: 'Opaque',
    labels: {},
    annotations: {},
  });
  await eventually('its right was asked for', () => Promise.resolve(counts.requests > requests));
  await new Promise((resolve) => setImmediate(resolve));
  expect([counts.reports, sync.targets.get('n/site')]).toEqual([reports, undefined]);
});
