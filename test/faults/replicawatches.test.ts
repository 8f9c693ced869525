/** A watch goes on at another server on the same etcd: no event is lost, none comes twice, none is too old. */
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../fixtures/client.js';
import { etcdIsThere, startEtcd } from '../fixtures/etcd.js';
import type { EtcdFixture } from '../fixtures/etcd.js';
import { randomNumbers } from '../fixtures/random.js';
import { ADMIN_TOKEN, startServer } from '../fixtures/server.js';
import type { ServerFixture } from '../fixtures/server.js';
import { eventually } from '../fixtures/wait.js';

const suite = etcdIsThere() ? describe : describe.skip;
const MAPS = '/api/v1/namespaces/default/configmaps';
const WRITERS = 6;
const WRITES_EACH = 120;

/** Whole numbers below a bound. */
function picking(seed: number): (below: number) => number {
  const next = randomNumbers(seed);
  return (below) => Math.floor(next() * below);
}

interface Seen {
  readonly type: string;
  readonly name: string;
  readonly version: string;
}

/** What a stream shows after `version`, until it ends or `enough` lines have come, when the client breaks it off. */
function stream({ url }: ServerFixture, version: string, enough: number): Promise<Seen[]> {
  const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=${version}`;
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    let rest = '';
    const sent = request(
      `${url}${MAPS}?${query}`,
      { agent: false, rejectUnauthorized: false, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
      (response) => {
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          const parts = (rest + piece).split('\n');
          rest = parts.pop() ?? '';
          lines.push(...parts);
          if (lines.length >= enough) sent.destroy();
        });
        response.on('error', () => undefined);
        response.once('close', () => resolve(lines.map(seenIn)));
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

function seenIn(line: string): Seen {
  const { type, object } = JSON.parse(line) as {
    type: string;
    object: { code?: number; metadata: { name: string; resourceVersion: string } };
  };
  return {
    type,
    name: object.metadata.name ?? String(object.code),
    version: object.metadata.resourceVersion,
  };
}

suite('two servers on one etcd', () => {
  let etcd: EtcdFixture;
  let servers: readonly ServerFixture[] = [];

  beforeAll(async () => {
    etcd = await startEtcd();
    servers = await Promise.all([0, 1].map(() => startServer({ etcdServers: etcd.endpoint })));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.remove()));
    await etcd.stop();
  });

  /** Makes, changes and deletes objects of its own on either server; answers the versions that it was told, in order. */
  async function write(number: number): Promise<Map<string, string[]>> {
    const pick = picking(number);
    const versions = new Map<string, string[]>();
    const merge = { 'content-type': 'application/merge-patch+json' };
    for (let count = 0; count < WRITES_EACH; count += 1) {
      const name = `of-${number}-${pick(6)}`;
      const { send } = client(servers[pick(2)] as ServerFixture);
      const known = versions.get(name) ?? [];
      const there = known.length > 0 && known.at(-1) !== 'deleted';
      const deletes = there && pick(3) === 0;
      const { text } = deletes
        ? await send('DELETE', `${MAPS}/${name}`)
        : there
          ? await send('PATCH', `${MAPS}/${name}`, { data: { count: String(count) } }, merge)
          : await send('POST', MAPS, { metadata: { name } });
      const version = /"resourceVersion":"(\d+)"/.exec(text)?.[1];
      versions.set(name, [...known, deletes ? 'deleted' : (version ?? text)]);
    }
    return versions;
  }

  async function follow(number: number, from: string, isOver: () => boolean): Promise<Seen[]> {
    const pick = picking(100 + number);
    const all: Seen[] = [];
    let last = from;
    for (let turn = number; ; turn += 1) {
      const over = isOver();
      const seen = await stream(servers[turn % 2] as ServerFixture, last, 1 + pick(40));
      last = seen.at(-1)?.version ?? last;
      all.push(...seen);
      if (over && !seen.some(({ type }) => type !== 'BOOKMARK')) return all;
    }
  }

  test('watches that change between them see every write once, in order', async () => {
    const { text } = await client(servers[0] as ServerFixture).send('GET', MAPS);
    const from = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '';
    let over = false;
    const followers = Promise.all([0, 1, 2].map((number) => follow(number, from, () => over)));
    const written = await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(number)));
    over = true;
    const expected = new Map(written.flatMap((versions) => [...versions]));
    for (const seen of await followers) {
      const events = seen.filter(({ type }) => type !== 'BOOKMARK');
      const revisions = events.map(({ version }) => Number(version));
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      const found = new Map<string, string[]>();
      for (const { type, name, version } of events)
        found.set(name, [...(found.get(name) ?? []), type === 'DELETED' ? 'deleted' : version]);
      expect(found).toEqual(expected);
    }
  }, 120_000);

  test('and in the end both have the same', async () => {
    const [one, two] = servers.map((server) => client(server));
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
