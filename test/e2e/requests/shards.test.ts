/** Lists and watches of a shard (`shardSelector`, KEP-5866): what `pkg/apimachinery/selectors/shard` parses, in requests. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashField } from '../../../pkg/apimachinery/selectors/shard/hash.js';
import { client, eventsOf, type Client } from '../../fixtures/clients/client.js';
import { listedKinds } from '../../fixtures/clients/inventory.js';
import { ask, decoded, PROTOBUF } from '../../fixtures/clients/protobufclient.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { VIEWER_TOKEN } from '../../fixtures/servers/server.js';

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly annotations?: object };
}
interface List {
  readonly metadata: {
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly shardInfo?: { readonly selector: string };
  };
  readonly items: readonly Item[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const MIDDLE = '0x8000000000000000';
const half = (field: string, upper: boolean): string =>
  `shardRange(${field}, ${upper ? `'${MIDDLE}', '0x10000000000000000'` : `'0x0000000000000000', '${MIDDLE}'`})`;
const LOWER = half('object.metadata.uid', false);
const UPPER = half('object.metadata.uid', true);
const asked = (selector: string, more = ''): string => `shardSelector=${encodeURIComponent(selector)}${more}`;
const isLower = ({ metadata }: Item): boolean => hashField(metadata.uid) < MIDDLE.slice(2);
const namesOf = (items: readonly Item[]): string[] => items.map(({ metadata }) => metadata.name);

describe.each(ENGINES)('on %s', (_engine, start) => {
  let fixture: EngineServer;
  let api: Client;
  let all: readonly Item[];
  let lower: string[];
  const list = async (path: string, headers?: Record<string, string>): Promise<List> =>
    JSON.parse((await api.send('GET', path, undefined, headers)).text) as List;

  beforeAll(async () => {
    fixture = await start();
    api = client(fixture.server);
    for (let at = 0; at < 24; at++)
      await api.send('POST', MAPS, {
        metadata: { name: `map-${at}`, labels: { even: String(at % 2 === 0) } },
      });
    all = (await list(MAPS)).items;
    lower = namesOf(all.filter(isLower));
  });
  afterAll(() => fixture.remove());

  test('two shards share all objects, and the answer names the shard', async () => {
    expect(lower.length).toBeGreaterThan(0);
    expect(lower.length).toBeLessThan(all.length);
    const [one, other] = [await list(`${MAPS}?${asked(LOWER)}`), await list(`${MAPS}?${asked(UPPER)}`)];
    expect(namesOf(one.items)).toEqual(lower);
    expect([...namesOf(one.items), ...namesOf(other.items)].sort()).toEqual(namesOf(all).sort());
    expect(one.metadata.shardInfo).toEqual({ selector: LOWER });
    const spaced = await list(`${MAPS}?${asked(` (${UPPER})||${LOWER.replace(/, /g, ' ,')}`)}`);
    expect(spaced.metadata.shardInfo).toEqual({ selector: `${UPPER} || ${LOWER}` });
    expect(spaced.items).toHaveLength(all.length);
    expect((await list(`${MAPS}?shardSelector=`)).metadata).not.toHaveProperty('shardInfo');
  });

  test('pages go through a shard, with a label selector', async () => {
    const wanted = all.filter((item) => isLower(item) && Number(item.metadata.name.slice(4)) % 2 === 0);
    const found: string[] = [];
    let token = '';
    do {
      const more = `&limit=2&labelSelector=even=true&continue=${token}`;
      const { items, metadata } = await list(`${MAPS}?${asked(LOWER, more)}`);
      expect(metadata.shardInfo).toEqual({ selector: LOWER });
      expect(metadata).not.toHaveProperty('remainingItemCount');
      found.push(...namesOf(items));
      token = encodeURIComponent(metadata.continue ?? '');
    } while (token !== '');
    expect(found).toEqual(namesOf(wanted));
  });

  test('as a Table, as metadata and as protobuf', async () => {
    const path = `${MAPS}?${asked(LOWER)}`;
    const table = await list(path, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    expect(table.rows.map(({ cells }) => cells[0])).toEqual(lower);
    expect(table.metadata.shardInfo).toEqual({ selector: LOWER });
    const metadata = await list(path, {
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    });
    expect(namesOf(metadata.items)).toEqual(lower);
    expect(metadata.metadata.shardInfo).toEqual({ selector: LOWER });
    const { body } = await ask(`${fixture.server.url}${path}`, 'GET', { headers: { accept: PROTOBUF } });
    expect(decoded(body)).toMatchObject({
      metadata: { shardInfo: { selector: LOWER } },
      items: lower.map((name) => ({ metadata: expect.objectContaining({ name }) })),
    });
  });

  test.each([
    ['the initial state', `watch=1&allowWatchBookmarks=true&${asked(LOWER)}`],
    ['any state', `watch=1&resourceVersion=0&allowWatchBookmarks=true&${asked(LOWER)}`],
  ])('a watch from %s has the objects of its shard, and a bookmark', async (_what, query) => {
    const events = await eventsOf<Item>(api, `${MAPS}?${query}`, lower.length + 1);
    expect(namesOf(events.slice(0, -1).map(({ object }) => object))).toEqual(lower);
    expect(events.at(-1)).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });

  test('a watch has the events of its shard alone, also of objects that enter and leave a label selector', async () => {
    const { resourceVersion } = (await list(MAPS)).metadata as { resourceVersion?: string };
    for (const { metadata } of all) {
      await api.send('PATCH', `${MAPS}/${metadata.name}`, { metadata: { labels: { seen: 'yes' } } }, MERGE);
      await api.send('PATCH', `${MAPS}/${metadata.name}`, { metadata: { labels: { seen: null } } }, MERGE);
    }
    const query = `watch=1&resourceVersion=${resourceVersion}&labelSelector=seen&${asked(LOWER)}`;
    const events = await eventsOf<Item>(api, `${MAPS}?${query}`, 2 * lower.length);
    const seen = events.map(({ type, object }) => `${type} ${object.metadata.name}`);
    expect(seen).toEqual(lower.flatMap((name) => [`ADDED ${name}`, `DELETED ${name}`]));
  });

  test('by namespace, over all kinds', async () => {
    const [low, high] = [half('object.metadata.namespace', false), half('object.metadata.namespace', true)];
    const kinds = await listedKinds(api);
    expect(kinds.length).toBeGreaterThan(15);
    for (const path of kinds) {
      const everything = await list(path);
      for (const [one, other] of [
        [LOWER, UPPER],
        [low, high],
      ] as const) {
        const parts = [await list(`${path}?${asked(one)}`), await list(`${path}?${asked(other)}`)];
        expect(parts.map(({ metadata }) => metadata.shardInfo?.selector)).toEqual([one, other]);
        const uids = (items: readonly Item[]): string[] => items.map(({ metadata }) => metadata.uid).sort();
        expect(uids(parts.flatMap(({ items }) => items))).toEqual(uids(everything.items));
      }
    }
  });

  test.each([
    ['x', 'invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator'],
    [
      ' ',
      'invalid shard selector: empty shard selector is not allowed; omit the parameter for unfiltered lists',
    ],
    [LOWER.replace('uid', 'name'), 'invalid shard selector: unsupported field path "object.metadata.name"'],
  ])('refuses %j', async (selector, message) => {
    for (const [method, more] of [
      ['GET', ''],
      ['GET', '&watch=1'],
      ['DELETE', ''],
    ] as const) {
      const { status, text } = await api.send(method, `${MAPS}?${asked(selector, more)}`);
      expect([status, JSON.parse(text)]).toEqual([
        400,
        expect.objectContaining({ reason: 'BadRequest', message: expect.stringContaining(message) }),
      ]);
    }
  });

  test('a shard shows nothing to who may not read, and not that it is there', async () => {
    const path = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
    expect((await api.send('POST', path, { metadata: { name: 'hidden' }, spec: {} })).status).toBe(201);
    const stranger = client(fixture.server, VIEWER_TOKEN);
    for (const selector of [LOWER, UPPER]) {
      const { status, text } = await stranger.send('GET', `${path}?${asked(selector)}&limit=1`);
      expect(status === 403 || (JSON.parse(text) as List).items.length === 0).toBe(true);
      expect(text).not.toContain('"continue"');
    }
  });

  test('a collection is deleted by shard', async () => {
    expect((await api.send('DELETE', `${MAPS}?${asked(LOWER)}`)).status).toBe(200);
    expect(namesOf((await list(MAPS)).items)).toEqual(namesOf(all.filter((item) => !isLower(item))));
  });
});

const MERGE = { 'content-type': 'application/merge-patch+json' };
