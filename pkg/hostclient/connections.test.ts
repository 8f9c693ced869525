import { Agent } from 'node:https';
import { beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../../test/fixtures/wait.js';
import type { HostSettings } from './configuration.js';
import { HostConnections } from './connections.js';

let now = 0;
let reads = 0;
let found: () => Promise<HostSettings>;
let connections: HostConnections<{ readonly all: Agent }>;

const settings = (token: string, ca = 'one'): HostSettings => ({
  server: 'https://127.0.0.1:1',
  headers: { authorization: `Bearer ${token}` },
  auth: undefined,
  tls: { ca, rejectUnauthorized: true },
  proxy: undefined,
});
const tokenNow = async (): Promise<string | undefined> =>
  (await connections.current()).settings.headers.authorization;

beforeEach(async () => {
  [now, reads] = [0, 0];
  found = () => Promise.resolve(settings('first'));
  const read = (): Promise<HostSettings> => {
    reads += 1;
    return found();
  };
  connections = new HostConnections(
    read,
    ({ tls }) => ({ all: new Agent(tls) }),
    () => now,
  );
  await Promise.all([connections.current(), connections.current()]);
  found = () => Promise.resolve(settings('second'));
});

test('reads settings once for half a minute', async () => {
  now = 29_999;
  expect(connections.current()).not.toBeInstanceOf(Promise);
  expect([await tokenNow(), reads]).toEqual(['Bearer first', 1]);
});

test('then reads them in the background', async () => {
  now = 30_000;
  expect(connections.current()).toMatchObject({ settings: settings('first') });
  await eventually('the new token', async () => (await tokenNow()) === 'Bearer second');
  expect(reads).toBe(2);
});

test.each<[string, () => void]>([
  ['minutes without requests', () => (now = 300_000)],
  ['a refusal', () => [(now = 1_001), connections.refused()]],
])('waits for them after %s', async (_what, happens) => {
  happens();
  expect(await tokenNow()).toBe('Bearer second');
});

test('keeps the last ones while none can be read, and reads no more often for it', async () => {
  found = () => Promise.reject(new Error('away'));
  now = 300_000;
  expect([await tokenNow(), await tokenNow(), reads]).toEqual(['Bearer first', 'Bearer first', 2]);
});

test('keeps its agents while their certificates are the same', async () => {
  const { all } = (await connections.current()).agents;
  now = 300_000;
  expect((await connections.current()).agents.all).toBe(all);
  found = () => Promise.resolve(settings('third', 'other'));
  now = 600_000;
  const { agents } = await connections.current();
  expect(agents.all).not.toBe(all);
  expect([agents.all.options.ca, all.maxFreeSockets]).toEqual(['other', 0]);
});
