/** While one user floods the server, others are served: a GET within a second, a write within three. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import {
  felt,
  held,
  median,
  repeated,
  session,
  watch,
  type Stop,
} from '../../fixtures/clients/floodclients.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { onThisMachine } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const MAPS = '/api/v1/namespaces/default/configmaps';
const LARGE = `${MAPS}/large`;
const json = { 'content-type': 'application/json' };
const review = JSON.stringify({ spec: { nonResourceAttributes: { path: '/', verb: 'get' } } });
const yaml = { 'content-type': 'application/yaml' };
/** 2.4 MB, which take seconds to parse. */
const longYaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: long\ndata:\n${Array.from(
  { length: 24_000 },
  (_unused, at) => `  k${at}: ${'v'.repeat(90)}\n`,
).join('')}`;
const shortYaml = `metadata:\n  generateName: yaml-\ndata:\n${Array.from(
  { length: 100 },
  (_unused, at) => `  k${at}: ${'v'.repeat(90)}\n`,
).join('')}`;

type Server = EngineServer['server'];

/** Each starts a flood as mallory, who is authenticated and hostile. */
const FLOODS: readonly (readonly [string, (server: Server, token: string) => Promise<Stop>])[] = [
  ['answers that nobody takes', (server, token) => held(server, 6, 75, () => ({ path: LARGE, token }))],
  [
    'answers that nobody takes, in many names',
    (server, token) =>
      held(server, 6, 75, (at) => ({ path: LARGE, token, headers: { 'impersonate-user': `user-${at}` } })),
  ],
  ['documents that strangers do not take', (server) => held(server, 60, 10, () => ({ path: '/openapi/v2' }))],
  [
    'bodies of one byte',
    (server, token) =>
      held(server, 2, 210, () => ({ method: 'POST', path: MAPS, token, headers: json, body: '{' })),
  ],
  [
    'long YAML',
    (server, token) =>
      repeated(server, 6, 1, { method: 'POST', path: MAPS, token, headers: yaml, body: longYaml }),
  ],
  ['reads', (server, token) => repeated(server, 4, 50, { path: LARGE, token })],
  ['lists', (server, token) => repeated(server, 2, 20, { path: MAPS, token })],
  [
    'reviews',
    (server, token) =>
      repeated(server, 4, 50, { method: 'POST', path: REVIEWS, token, headers: json, body: review }),
  ],
  ['wrong tokens', (server) => repeated(server, 8, 4, { path: LARGE, token: 'wrong' })],
];

let running: EngineServer;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  running = await startEmbedded({ flags: ['--max-watches=24'] });
  await post(`${RBAC}/clusterroles`, {
    metadata: { name: 'everything' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  });
  await post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'everything' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'everything' },
    subjects: [{ kind: 'Group', name: 'system:authenticated', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  await post(MAPS, { metadata: { name: 'large' }, data: { a: 'x'.repeat(100_000) } });
  for (const name of ['alice', 'mallory', 'trudy', ...Array.from({ length: 6 }, (_one, at) => `m${at}`)]) {
    await post('/api/v1/namespaces', { metadata: { name } });
    await post(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name } });
    const token = await post(`/api/v1/namespaces/${name}/serviceaccounts/${name}/token`, { spec: {} });
    tokens[name] = (token as { status: { token: string } }).status.token;
  }
});
afterAll(() => running.remove());

async function post(path: string, body: object): Promise<unknown> {
  const options = { method: 'POST', headers: json, body: JSON.stringify(body) };
  const { status, text } = await fetchFrom(`${running.server.url}${path}`, options);
  expect(`${path} ${status} ${text}`).toMatch(/ 201 /);
  return JSON.parse(text);
}

test.each(FLOODS)('%s', async (_name, begin) => {
  const { server } = running;
  const { alice = '', mallory = '' } = tokens;
  const stop = await begin(server, mallory);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const reads = await felt(server, 7, { path: LARGE, token: alice });
  const body = JSON.stringify({ metadata: { generateName: 'w-' } });
  const writes = [
    ...(await felt(server, 3, { method: 'POST', path: MAPS, token: alice, headers: json, body })),
    ...(await felt(server, 2, {
      method: 'POST',
      path: MAPS,
      token: alice,
      headers: yaml,
      body: shortYaml,
    })),
  ];
  stop();
  expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));
  expect(writes.map(({ status }) => status)).toEqual(writes.map(() => 201));
  expect(median(reads)).toBeLessThan(onThisMachine(1_000));
  expect(median(writes)).toBeLessThan(onThisMachine(3_000));
  if (process.env.FLOOD_FIGURES !== undefined) {
    const worst = (all: typeof reads): number => Math.round(Math.max(...all.map(({ ms }) => ms)));
    process.stderr.write(`${_name}: GET ${worst(reads)} ms, write ${worst(writes)} ms at most\n`);
  }
  await fetchFrom(`${server.url}${MAPS}`, { method: 'DELETE' });
  await post(MAPS, { metadata: { name: 'large' }, data: { a: 'x'.repeat(100_000) } });
});

test('the user with most watches loses one to a user without any', async () => {
  const { server } = running;
  const path = `${MAPS}?watch=1`;
  const over = await session(server);
  const open = [];
  for (const name of [...Array.from({ length: 6 }, (_one, at) => `m${at}`), 'mallory', 'trudy']) {
    for (let at = 0; at < 4; at += 1) open.push(await watch(over, { path, token: tokens[name] ?? '' }));
  }
  // Each flow gets at most three of the 24 slots.
  expect(open.map(({ status }) => status)).toEqual(open.map((_one, at) => (at % 4 === 3 ? 429 : 200)));
  const late = await watch(over, { path, token: tokens.alice ?? '' });
  expect(late.status).toBe(200);
  await Promise.race(open.filter(({ status }) => status === 200).map(({ ended }) => ended));
  late.stop();
  over.destroy();
});
