/**
 * Twenty authenticated users are hostile at the same time: another user is served, a GET within a second and a write
 * within three.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { felt, held, median, repeated, type Call, type Stop } from '../../fixtures/clients/floodclients.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { onThisMachine } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const LARGE = `${MAPS}/large`;
const SMALL = `${MAPS}/small`;
const HOSTILE = Array.from({ length: 20 }, (_one, at) => `m${at}`);
const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };
const yamlOf = (keys: number): string =>
  `metadata:\n  generateName: yaml-\ndata:\n${Array.from(
    { length: keys },
    (_unused, at) => `  k${at}: ${'v'.repeat(90)}\n`,
  ).join('')}`;
/** 1.2 MB, which take a second or two to parse. */
const longYaml = yamlOf(12_000);
/** 30 kB in which each character is an error. */
const wrongYaml = `data: [${','.repeat(30_000)}`;
const shortYaml = yamlOf(100);

type Server = EngineServer['server'];
type Flood = (server: Server, token: string) => Promise<Stop>;

const answers: Flood = (server, token) => held(server, 1, 75, () => ({ path: LARGE, token }));
const post: Pick<Call, 'method' | 'path'> = { method: 'POST', path: MAPS };
const bodies: Flood = (server, token) =>
  held(server, 2, 80, () => ({ ...post, token, headers: json, body: '{' }));
const long: Flood = (server, token) =>
  repeated(server, 1, 3, { ...post, token, headers: yaml, body: longYaml });
const wrong: Flood = (server, token) =>
  repeated(server, 1, 3, { ...post, token, headers: yaml, body: wrongYaml });
const reads: Flood = (server, token) => repeated(server, 1, 8, { path: SMALL, token });
const FLOODS: readonly (readonly [string, Flood])[] = [
  ['answers that nobody takes', answers],
  ['bodies of one byte', bodies],
  ['long YAML', long],
  ['wrong YAML', wrong],
  ['reads', reads],
];

/** Fewer slots than users, and the default number. */
const SLOTS: readonly (readonly [string, readonly string[], typeof FLOODS])[] = [
  ['default slots', [], FLOODS],
  [
    'fewer slots than users',
    ['--max-requests-inflight=16', '--max-mutating-requests-inflight=16'],
    FLOODS.slice(0, 2),
  ],
];

describe.each(SLOTS)('%s', (_name, flags, floods) => {
  let running: EngineServer;
  const tokens: Record<string, string> = {};

  async function create(path: string, body: object): Promise<unknown> {
    const options = { method: 'POST', headers: json, body: JSON.stringify(body) };
    const { status, text } = await fetchFrom(`${running.server.url}${path}`, options);
    expect(`${path} ${status} ${text}`).toMatch(/ 201 /);
    return JSON.parse(text);
  }

  async function account(name: string): Promise<void> {
    await create('/api/v1/namespaces', { metadata: { name } });
    await create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name } });
    const token = await create(`/api/v1/namespaces/${name}/serviceaccounts/${name}/token`, { spec: {} });
    tokens[name] = (token as { status: { token: string } }).status.token;
  }

  beforeAll(async () => {
    running = await startEmbedded({ flags });
    await create(`${RBAC}/clusterroles`, {
      metadata: { name: 'maps' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }],
    });
    await create(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'maps' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maps' },
      subjects: [{ kind: 'Group', name: 'system:serviceaccounts', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    await create(MAPS, { metadata: { name: 'large' }, data: { a: 'x'.repeat(100_000) } });
    await create(MAPS, { metadata: { name: 'small' } });
    await Promise.all(['alice', ...HOSTILE].map(account));
  });
  afterAll(() => running.remove());

  test.each(floods)('%s', async (name, begin) => {
    const { server } = running;
    const { alice = '' } = tokens;
    const stops = await Promise.all(HOSTILE.map((each) => begin(server, tokens[each] ?? '')));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const asked = await felt(server, 5, { path: LARGE, token: alice });
    const body = JSON.stringify({ metadata: { generateName: 'w-' } });
    const written = [
      ...(await felt(server, 2, { ...post, token: alice, headers: json, body })),
      ...(await felt(server, 2, { ...post, token: alice, headers: yaml, body: shortYaml })),
    ];
    for (const stop of stops) stop();
    if (process.env.FLOOD_FIGURES !== undefined) {
      const all = (one: typeof asked): string => one.map(({ ms }) => Math.round(ms)).join(' ');
      process.stderr.write(`${name}: GET ${all(asked)} ms, write ${all(written)} ms\n`);
    }
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(written.map(({ status }) => status)).toEqual(written.map(() => 201));
    expect(median(asked)).toBeLessThan(onThisMachine(1_000));
    expect(median(written)).toBeLessThan(onThisMachine(3_000));
  });
});
