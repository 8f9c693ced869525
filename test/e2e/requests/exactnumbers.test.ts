/** Integers beyond 2^53 come back as they went in: every format, patch and answer. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { readWatch } from '../../fixtures/clients/watchreader.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SPACES = '/apis/management.svc.example/v1/namespaces/management-p-numbers/spaceinstances';
const HEAD = '"apiVersion":"management.svc.example/v1","kind":"SpaceInstance"';
const LARGEST = '9223372036854775807';
const ODD = '9007199254740993';
const TEMPLATE = `{"a":${ODD},"b":[-${LARGEST},1.5],"c":{"d":${LARGEST}}}`;

const folder = mkdtempSync(join(tmpdir(), 'numbers-'));
const log = join(folder, 'audit.log');

let server: ServerFixture;
let api: Client;
beforeAll(async () => {
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n');
  server = await startServer({ flags: [`--audit-log-path=${log}`, `--audit-policy-file=${policy}`] });
  api = client(server);
  await api.send('POST', '/apis/management.svc.example/v1/projects', { metadata: { name: 'numbers' } });
  await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'management-p-numbers' } });
});
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true });
});

const space = (name: string, template = TEMPLATE): string =>
  `{${HEAD},"metadata":{"name":"${name}"},"spec":{"template":${template}}}`;
const typed = (type: string): Record<string, string> => ({ 'content-type': type });
const templateIn = (text: string): string | undefined => /"template":(\{.*?\}\}|\{.*?\})/.exec(text)?.[1];

test('in JSON: create, get, list, update', async () => {
  const created = await api.send('POST', SPACES, space('json'));
  expect([created.status, created.text]).toEqual([201, expect.stringContaining(`"template":${TEMPLATE}`)]);
  for (const path of [`${SPACES}/json`, SPACES, `${SPACES}/json?pretty=0`])
    expect((await api.send('GET', path)).text).toContain(`"template":${TEMPLATE}`);
  const { text } = await api.send('GET', `${SPACES}/json`);
  const put = await api.send('PUT', `${SPACES}/json`, text.replace(`"a":${ODD}`, `"a":-${ODD}`));
  expect([put.status, templateIn(put.text)]).toEqual([200, TEMPLATE.replace(`"a":${ODD}`, `"a":-${ODD}`)]);
});

test('in YAML', async () => {
  const yaml = `apiVersion: management.svc.example/v1\nkind: SpaceInstance\nmetadata:\n  name: yaml\nspec:\n  template:\n    a: ${ODD}\n    b: [0x7fffffffffffffff, ${LARGEST}0]\n    c: "${ODD}"\n`;
  const created = await api.send('POST', SPACES, yaml, typed('application/yaml'));
  expect(created.text).toContain(
    `"template":{"a":${ODD},"b":[${LARGEST},92233720368547760000],"c":"${ODD}"}`,
  );
  const shown = await api.send('GET', `${SPACES}/yaml`, undefined, { accept: 'application/yaml' });
  expect(shown.text).toContain(
    `a: ${ODD}\n    b:\n    - ${LARGEST}\n    - 92233720368547760000\n    c: "${ODD}"\n`,
  );
});

test('in patches', async () => {
  await api.send('POST', SPACES, space('patched'));
  const patch = (body: string, type: string): ReturnType<Client['send']> =>
    api.send('PATCH', `${SPACES}/patched`, body, typed(type));
  const merged = await patch(`{"spec":{"template":{"f":${LARGEST}}}}`, 'application/merge-patch+json');
  expect(merged.text).toContain(TEMPLATE.replace(/\}$/, `,"f":${LARGEST}}`));
  const operation = (of: string): string =>
    `[{"op":"test","path":"/spec/template/a","value":${of}},{"op":"replace","path":"/spec/template/f","value":${of}}]`;
  expect((await patch(operation('9007199254740992'), 'application/json-patch+json')).status).toBe(422);
  const tested = await patch(operation(ODD), 'application/json-patch+json');
  expect([tested.status, tested.text]).toEqual([200, expect.stringContaining(`"f":${ODD}`)]);
});

test('in applies and their field sets', async () => {
  const apply = (manager: string, list: string): ReturnType<Client['send']> =>
    api.send(
      'PATCH',
      `${SPACES}/applied?fieldManager=${manager}`,
      `{${HEAD},"metadata":{"name":"applied"},"spec":{"template":{"a":${list}}}}`,
      typed('application/apply-patch+yaml'),
    );
  expect((await apply('one', ODD)).text).toContain(`"template":{"a":${ODD}}`);
  expect((await apply('two', '9007199254740992')).status).toBe(409);
  expect((await apply('two', ODD)).status).toBe(200);
});

test('in watches, and in the audit log', async () => {
  const lines: string[] = [];
  const { stop } = await readWatch(
    `${server.url}${SPACES}?watch=1`,
    { accept: 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
    (line) => void lines.push(line),
  );
  await api.send('POST', SPACES, space('watched'));
  await eventually('the event', () => Promise.resolve(lines.some((line) => line.includes('"watched"'))));
  stop();
  expect(lines.find((line) => line.includes('"watched"'))).toContain(`"template":${TEMPLATE}`);
  const noted = (): boolean =>
    readFileSync(log, 'utf8')
      .split('\n')
      .some((line) => line.includes('"requestObject"') && line.includes(TEMPLATE));
  await eventually('the audit event', () => Promise.resolve(noted()));
});

test('in fields that the server calculates with', async () => {
  const group = '/apis/management.svc.example/v1';
  const merge = typed('application/merge-patch+json');
  await api.send('POST', `${group}/users`, { metadata: { name: 'ann' }, spec: {} });
  const user = await api.send('PATCH', `${group}/users/ann`, `{"spec":{"tokenGeneration":${ODD}}}`, merge);
  expect([user.status, user.text]).toEqual([200, expect.stringContaining(`"tokenGeneration":${ODD}`)]);
  const quota = `{"spec":{"quotas":{"instances":${LARGEST},"objects":{"configmaps":${ODD}}}}}`;
  const project = await api.send('PATCH', `${group}/projects/numbers`, quota, merge);
  expect([project.status, project.text]).toEqual([200, expect.stringContaining(`"instances":${LARGEST}`)]);
  expect((await api.send('POST', SPACES, space('counted'))).status).toBe(201);
  const map = { metadata: { name: 'counted' } };
  const maps = '/api/v1/namespaces/management-p-numbers/configmaps';
  expect((await api.send('POST', maps, map)).status).toBe(201);
  for (const [path, spec] of [
    [`${group}/ownedaccesskeys`, `"ttl":${ODD}`],
    [`${group}/directclusterendpointtokens`, `"ttl":${ODD}`],
    [`${group}/auditsearches`, `"limit":${ODD}`],
  ] as const) {
    const { status, text } = await api.send('POST', path, `{"metadata":{"name":"long"},"spec":{${spec}}}`);
    expect([path, status, text]).toEqual([path, 422, expect.stringContaining(ODD)]);
  }
});

test('of a float that is an integer', async () => {
  const created = await api.send('POST', SPACES, space('float', '{"a":1e16}'));
  const { metadata } = JSON.parse(created.text) as { metadata: { generation: number } };
  const body = '{"spec":{"template":{"a":1e16}}}';
  const again = await api.send('PATCH', `${SPACES}/float`, body, typed('application/merge-patch+json'));
  expect([again.status, JSON.parse(again.text)]).toMatchObject([200, { metadata }]);
});

test('in what a refusal names', async () => {
  await api.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const asked = `{"spec":{"expirationSeconds":${ODD}}}`;
  const { status, text } = await api.send(
    'POST',
    '/api/v1/namespaces/default/serviceaccounts/robot/token',
    asked,
  );
  expect([status, text]).toEqual([422, expect.stringContaining(`Invalid value: ${ODD}`)]);
  const config = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":${LARGEST}}}`;
  const wrong = await api.send('POST', '/api/v1/namespaces/default/configmaps', config);
  expect(wrong.status).toBe(400);
  const lease = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"x"},"spec":{"leaseTransitions":${LARGEST}}}`;
  const refused = await api.send('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', lease);
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining(`number ${LARGEST} into Go struct field`),
  ]);
});
