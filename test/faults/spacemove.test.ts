/** A server is killed while spaces move: each space is in exactly one project afterwards. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchFrom, startServer, type ServerFixture } from '../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const ROUNDS = 4;
const SPACES = 60;
let server: ServerFixture;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

async function post(path: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const url = `${server.url}${path}`;
  return (await fetchFrom(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

async function namesIn(project: string): Promise<string[]> {
  const answer = await fetchFrom(`${server.url}${API}/namespaces/loft-p-${project}/spaceinstances`);
  const { items } = JSON.parse(answer.text) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

test('a move happens as a whole or not at all', async () => {
  for (const project of ['a', 'b']) {
    await post(`${API}/projects`, { metadata: { name: project } });
    await post('/api/v1/namespaces', { metadata: { name: `loft-p-${project}` } });
  }
  const names = Array.from({ length: SPACES }, (_, at) => `s${String(at).padStart(3, '0')}`);
  for (const name of names) await post(`${API}/namespaces/loft-p-a/spaceinstances`, { metadata: { name } });
  for (let round = 0; round < ROUNDS; round += 1) {
    const [from, to] = round % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
    const moved: string[] = [];
    const moves = names.map(async (name) => {
      const source = { sourceSpaceInstance: { name, namespace: `loft-p-${from}` } };
      if ((await post(`${API}/projects/${to}/migratespaceinstance`, source)) === 201) moved.push(name);
    });
    await sleep(20 + 40 * round);
    await server.kill();
    await Promise.allSettled(moves);
    await server.restart();
    const [before, after] = [await namesIn(from as string), await namesIn(to as string)];
    expect([...before, ...after].sort()).toEqual(names);
    expect(after).toEqual(expect.arrayContaining(moved));
    for (const name of before) {
      const source = { sourceSpaceInstance: { name, namespace: `loft-p-${from}` } };
      expect(await post(`${API}/projects/${to}/migratespaceinstance`, source)).toBe(201);
    }
  }
});
