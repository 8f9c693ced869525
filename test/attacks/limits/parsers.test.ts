/**
 * Texts that nest deeper than any stack, in every format and at every endpoint: each gets a 4xx, and the process keeps
 * running.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import {
  ADMIN_TOKEN,
  VIEWER_TOKEN,
  fetchFrom,
  type Answer,
  type FetchOptions,
} from '../../fixtures/servers/server.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const CLUSTERS = '/apis/management.svc.example/v1/clusters';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const YAML = 'application/yaml';

const FORMS: readonly (readonly [form: string, text: string])[] = [
  ['brackets', '['.repeat(8_000)],
  ['braces', '{a: '.repeat(20_000)],
  ['pairs in brackets', '[a: '.repeat(8_000)],
  ['questions', '? '.repeat(8_000)],
  ['questions in braces', '{? '.repeat(8_000)],
  ['dashes', '- '.repeat(8_000)],
  ['keys on one line', 'a: '.repeat(8_000)],
  ['indents', Array.from({ length: 1_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ['tags and anchors', '!t &a ['.repeat(8_000)],
  ['comments between', '[ # [\n '.repeat(8_000)],
  ['a second document, which nobody reads', `gracePeriodSeconds: x\n---\n${'['.repeat(8_000)}`],
  ['after a directive', `%YAML 1.1\n---\n${'['.repeat(8_000)}`],
  ['far beyond', `x: ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
];

const WAYS: readonly (readonly [method: string, path: string, type: string, token: string])[] = [
  ['POST', REVIEWS, YAML, VIEWER_TOKEN],
  ['POST', CONFIGMAPS, YAML, ADMIN_TOKEN],
  ['PUT', `${CONFIGMAPS}/there`, YAML, ADMIN_TOKEN],
  ['PATCH', `${CONFIGMAPS}/there?fieldManager=m`, 'application/apply-patch+yaml', ADMIN_TOKEN],
  ['DELETE', `${CONFIGMAPS}/there`, YAML, ADMIN_TOKEN],
];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

let running: EngineServer;
let pid: number | undefined;

const ask = (path: string, options: FetchOptions = {}): Promise<Answer> =>
  fetchFrom(`${running.server.url}${path}`, options);
const send = (method: string, path: string, body: string, type = 'application/json', token = ADMIN_TOKEN) =>
  ask(path, { method, body, token, headers: { 'content-type': type } });
const post = (path: string, object: object): Promise<Answer> => send('POST', path, JSON.stringify(object));

beforeAll(async () => {
  running = await startEmbedded();
  pid = running.server.pid();
  await post(CONFIGMAPS, { metadata: { name: 'there' }, data: { a: 'b' } });
});
afterAll(() => running.remove());

const unharmed = async (): Promise<void> => {
  expect((await ask('/readyz')).text).toBe('ok');
  expect(running.server.isRunning()).toBe(true);
  expect(running.server.pid()).toBe(pid);
  expect(running.server.log()).not.toContain('"level":"error"');
};

test.each(FORMS)('YAML of %s', async (_form, text) => {
  for (const [method, path, type, token] of WAYS) {
    const { status } = await send(method, path, text, type, token);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
  await unharmed();
});

test('JSON in every place', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const patch = `${CONFIGMAPS}/there`;
  for (const [method, path, type, body] of [
    ['POST', CONFIGMAPS, 'application/json', deep],
    ['PATCH', patch, 'application/merge-patch+json', `{"x":${deep}}`],
    ['PATCH', patch, 'application/strategic-merge-patch+json', `{"x":${deep}}`],
    ['PATCH', patch, 'application/json-patch+json', `[{"op":"add","path":"/x","value":${deep}}]`],
    ['DELETE', patch, 'application/json', deep],
  ] as const)
    expect((await send(method, path, body, type)).status).toBe(400);
  const nested = '/x'.repeat(60);
  const steps = Array.from({ length: 3_000 }, () => [
    { op: 'add', path: '/y', value: {} },
    { op: 'move', from: '/x', path: '/y/x' },
    { op: 'move', from: '/y', path: '/x' },
  ]).flat();
  const moves = [{ op: 'add', path: '/x', value: {} }, ...steps, { op: 'copy', from: '/x', path: '/z' }];
  expect((await send('PATCH', patch, JSON.stringify(moves), 'application/json-patch+json')).status).toBe(422);
  const far = [{ op: 'test', path: nested.repeat(20_000), value: 1 }];
  expect((await send('PATCH', patch, JSON.stringify(far), 'application/json-patch+json')).status).toBe(422);
  await unharmed();
});

test('JSON in texts: Secrets, annotations, owners of fields, tokens, where a list goes on', async () => {
  const deep = '['.repeat(300_000);
  const docker = { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64(deep) } };
  expect((await post(SECRETS, { metadata: { name: 'docker' }, ...docker })).status).toBe(422);
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': deep.slice(0, 200_000) };
  expect((await post(CONFIGMAPS, { metadata: { name: 'annotated', annotations } })).status).toBe(201);
  const applied = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'annotated' },
    data: { a: 'c' },
  };
  const apply = 'application/apply-patch+yaml';
  const to = `${CONFIGMAPS}/annotated?fieldManager=m`;
  expect((await send('PATCH', to, JSON.stringify(applied), apply)).status).toBeLessThan(500);
  const fields = (key: string): object => ({
    manager: 'm',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { [key]: {} },
  });
  for (const key of [`v:${deep}`, `k:${deep}`, `k:{"a":${deep}}`]) {
    const metadata = { name: 'owned', managedFields: [fields(key)] };
    expect((await post(`${CONFIGMAPS}?dryRun=All`, { metadata })).status).toBeLessThan(500);
  }
  const token = `a.${base64(deep)}.c`;
  expect((await ask(CONFIGMAPS, { token })).status).toBe(401);
  expect((await ask(`${CONFIGMAPS}?limit=1&continue=${base64(deep.slice(0, 300_000))}`)).status).toBe(400);
  await unharmed();
});

test('a kubeconfig in a Secret, also after a restart', async () => {
  const config = base64(`clusters: ${'['.repeat(100_000)}`);
  expect((await post(SECRETS, { metadata: { name: 'deep' }, data: { config } })).status).toBe(201);
  const named = { secretName: 'deep', secretNamespace: 'default', key: 'config' };
  const cluster = { metadata: { name: 'deep' }, spec: { config: named } };
  expect((await post(CLUSTERS, cluster)).status).toBeLessThan(500);
  await unharmed();
  await running.server.restart();
  pid = running.server.pid();
  expect((await post(CLUSTERS, { ...cluster, metadata: { name: 'deep2' } })).status).toBeLessThan(500);
  await unharmed();
});

test('takes input that only looks deeply nested', async () => {
  const noise = '  [[[[{{{{ - - - ? ? "\n'.repeat(2_000);
  const text = [
    'metadata:',
    '  name: shallow',
    'data:',
    '  block: |',
    noise.replace(/^/gm, '    ').trimEnd(),
    `  quoted: "${'[{'.repeat(3_000)}"`,
    `  single: '${'[{'.repeat(3_000)}'`,
    `  plain: a${'[{'.repeat(3_000)}`,
    `# ${'[{'.repeat(3_000)}`,
    '',
  ].join('\n');
  const answer = await send('POST', CONFIGMAPS, text, YAML);
  expect(answer.status).toBe(201);
  const { data } = JSON.parse(answer.text) as { data: Record<string, string> };
  expect(data.block?.split('\n').length).toBeGreaterThan(2_000);
  expect(data.quoted).toBe('[{'.repeat(3_000));
  const depth = `x: ${'['.repeat(390)}${']'.repeat(390)}\nmetadata: {name: deepest}\n`;
  const path = `${CONFIGMAPS}?dryRun=All&fieldValidation=Ignore`;
  expect((await send('POST', path, depth, YAML)).status).toBe(201);
});
