/**
 * A watch is resumed at another server on the same etcd: events are neither lost, repeated, nor older than the
 * resourceVersion.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../fixtures/clients/client.js';
import { etcdIsThere } from '../fixtures/stores/etcd.js';
import { picking, writeAtRandom } from '../fixtures/clients/randomwrites.js';
import type { ServerFixture } from '../fixtures/servers/server.js';
import { startTwoOnEtcd, type ServersOnEtcd } from '../fixtures/servers/serversonetcd.js';
import { eventually } from '../fixtures/wait.js';
import { streamOf, versionsIn, type StreamEvent } from '../fixtures/clients/watchstream.js';

const suite = etcdIsThere() ? describe : describe.skip;
const MAPS = '/api/v1/namespaces/default/configmaps';
const WRITERS = 6;
const WRITES_EACH = 120;

suite('two servers on one etcd', () => {
  let together: ServersOnEtcd;

  beforeAll(async () => {
    together = await startTwoOnEtcd();
  });
  afterAll(() => together?.stop());

  /** Creates, updates and deletes objects of its own on both servers. */
  const write = (seed: number): Promise<Map<string, string[]>> =>
    writeAtRandom({
      seed,
      collection: MAPS,
      servers: () => together.servers,
      goesOn: (writes) => writes < WRITES_EACH,
      body: (count) => ({ data: { count: String(count) } }),
    });

  async function follow(number: number, from: string, isOver: () => boolean): Promise<StreamEvent[]> {
    const pick = picking(100 + number);
    const all: StreamEvent[] = [];
    let after = from;
    for (let turn = number; ; turn += 1) {
      const over = isOver();
      const server = together.servers[turn % 2] as ServerFixture;
      const seen = await streamOf(server, MAPS, { after, enough: 1 + pick(40) });
      after = seen.at(-1)?.version ?? after;
      all.push(...seen);
      if (over && !seen.some(({ type }) => type !== 'BOOKMARK')) return all;
    }
  }

  test('watches that change between them see every write once, in order', async () => {
    const { text } = await client(together.servers[0]).send('GET', MAPS);
    const from = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '';
    let over = false;
    const followers = Promise.all([0, 1, 2].map((number) => follow(number, from, () => over)));
    const written = await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(number)));
    over = true;
    const expected = new Map(written.flatMap((versions) => [...versions]));
    for (const seen of await followers) {
      const revisions = seen.filter(({ type }) => type !== 'BOOKMARK').map(({ version }) => Number(version));
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      expect(versionsIn(seen)).toEqual(expected);
    }
  });

  test('and in the end both have the same', async () => {
    const [one, two] = together.servers.map((server) => client(server));
    const lists = [
      '/api/v1/configmaps',
      '/api/v1/namespaces',
      '/apis/management.svc.example/v1/ownedaccesskeys',
    ];
    for (const path of lists) {
      await eventually(`the same ${path} in both memories`, async () => {
        const texts = await Promise.all(
          [one, two].map(async (each) => (await each?.send('GET', `${path}?resourceVersion=0`))?.text),
        );
        const items = texts.map((text) =>
          JSON.stringify((JSON.parse(text ?? '') as { items: unknown }).items),
        );
        return items[0] === items[1];
      });
    }
  });
});
