/** The Reflector of the typed client against a running server: what it lists, resumes and lists again. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestOptions } from 'node:https';
import {
  Client,
  Reflector,
  SharedSecret,
  type KubeObject,
  type Request,
  type Resource,
  type WatchEvent,
} from '../../../api/client/index.js';
import { fetchOver } from '../../../api/client/node.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const PATH = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const TLS: RequestOptions = { rejectUnauthorized: false };

const until = (what: string, isSo: () => boolean): Promise<boolean> =>
  eventually(what, () => Promise.resolve(isSo()));

interface Followed {
  /** Versions by name. */
  readonly state: Map<string, string>;
  /** Requests: `list`, or the version that a watch began from. */
  readonly asked: string[];
  readonly changes: string[];
  readonly errors: unknown[];
  /** Ends the watch, as the network may. */
  cut(): void;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

describe('a reflector', () => {
  let server: ServerFixture;
  let client: Client;
  beforeAll(async () => {
    server = await startServer();
    client = new Client({ server: server.url, token: ADMIN_TOKEN, fetch: fetchOver(TLS) });
  });
  afterAll(() => server?.remove());

  const secrets = (): Resource<typeof SharedSecret> => client.resource(SharedSecret, 'default');
  const create = (name: string): Promise<KubeObject> => secrets().create({ metadata: { name }, spec: {} });

  /** `query`: of each watch, as it may be told wrong. */
  function follow(query: () => Request['query'] = () => ({})): Followed {
    const stop = new AbortController();
    let cutting = new AbortController();
    const seen = {
      state: new Map<string, string>(),
      asked: [] as string[],
      changes: [] as string[],
      errors: [] as unknown[],
    };
    const note = ({ metadata: { name = '', resourceVersion = '' } }: KubeObject): void =>
      void seen.state.set(name, resourceVersion);
    const reflector = new Reflector<KubeObject>({
      signal: stop.signal,
      backoff: { first: 1, most: 1 },
      async list() {
        seen.asked.push('list');
        const { items, metadata } = await secrets().list();
        seen.state.clear();
        items.forEach(note);
        return metadata.resourceVersion;
      },
      async watch(resourceVersion, take) {
        seen.asked.push(resourceVersion);
        cutting = new AbortController();
        const events: AsyncIterable<WatchEvent<KubeObject>> = client.watch<KubeObject>({
          path: PATH,
          query: { resourceVersion, allowWatchBookmarks: true, ...query() },
          signal: AbortSignal.any([stop.signal, cutting.signal]),
        });
        for await (const { type, object } of events) await take(type, object);
      },
      changed(type, object) {
        seen.changes.push(`${type} ${object.metadata.name}`);
        if (type === 'DELETED') seen.state.delete(object.metadata.name ?? '');
        else note(object);
      },
      failed: (error) => void seen.errors.push(error),
    });
    return { ...seen, cut: () => cutting.abort(), stop, ended: reflector.run() };
  }

  async function ended({ stop, ended: end }: Followed): Promise<void> {
    stop.abort();
    await end;
  }

  test('lists, then takes changes, and goes on from the last one where a watch breaks off', async () => {
    await create('before');
    const followed = follow();
    await until('a watch', () => followed.asked.length === 2);
    expect([...followed.state.keys()]).toEqual(['before']);
    const { metadata } = await create('one');
    await until('the change', () => followed.changes.join() === 'ADDED one');
    followed.cut();
    await until('another watch', () => followed.asked.length === 3);
    expect(followed.asked[2]).toBe(metadata.resourceVersion);
    await secrets().delete('one');
    await until('the removal', () => followed.changes.join() === 'ADDED one,DELETED one');
    expect([...followed.state.keys()]).toEqual(['before']);
    await ended(followed);
  });

  test('goes on from a bookmark, and without a failure, where the server ends a watch', async () => {
    const followed = follow(() => ({ timeoutSeconds: '1' }));
    await until('further watches', () => followed.asked.length > 3);
    await ended(followed);
    expect(followed.asked.filter((one) => one === 'list')).toHaveLength(1);
    expect(followed.errors).toEqual([]);
  });

  test('lists again where the server has forgotten the version, and tells no failure', async () => {
    let old = true;
    const followed = follow(() => (old ? { resourceVersion: '1' } : {}));
    await until('another list', () => followed.asked.filter((one) => one === 'list').length > 1);
    old = false;
    await create('after');
    await until('the object', () => followed.state.has('after'));
    await ended(followed);
    expect(followed.errors).toEqual([]);
  });

  test('tells that the server is away, and misses nothing of what was written meanwhile', async () => {
    const followed = follow();
    await until('a watch', () => followed.asked.length === 2);
    await server.stop();
    await until('a failure', () => followed.errors.length > 0);
    await server.restart();
    await create('later');
    await until('the object', () => followed.state.has('later'));
    await ended(followed);
  });
});

test('ends with what `failed` throws', async () => {
  const gone = new Error('given up');
  const client = new Client({ server: 'https://127.0.0.1:1', fetch: fetchOver(TLS) });
  const reflector = new Reflector({
    list: async () => (await client.resource(SharedSecret).list()).metadata.resourceVersion,
    watch: () => Promise.resolve(),
    changed: () => undefined,
    failed() {
      throw gone;
    },
  });
  await expect(reflector.run()).rejects.toBe(gone);
});
