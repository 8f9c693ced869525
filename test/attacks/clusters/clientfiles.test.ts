/**
 * Files that the server and its client write: only their owner may read them, and they are not written through links.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { ADMIN_TOKEN } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

let engine: EngineServer;
let admin: Client;
let cli: PlatformCli;
const keys: Record<string, string> = {};

const ok = async (...args: string[]): Promise<Run> => {
  const run = await cli.run(args);
  expect([args, run.code, run.code === 0 ? '' : run.stderr]).toEqual([args, 0, '']);
  return run;
};
const ca = (): string => join(cli.home, 'ca.crt');
const logIn = async (name: string, key: string): Promise<void> => {
  const args = ['login', engine.server.url, '--ca-file', ca(), '--name', name];
  expect(await cli.run(args, { input: key })).toMatchObject({ code: 0 });
};

beforeAll(async () => {
  engine = await startEmbedded();
  admin = client(engine.server);
  cli = platformCli();
  writeFileSync(ca(), authorityOf(engine.server));
  for (const name of ['anna', 'bert']) {
    await admin.send('POST', `${API}/users`, { metadata: { name } });
    const answer = await admin.send('POST', `${API}/ownedaccesskeys`, {
      metadata: { name },
      spec: { user: name },
    });
    keys[name] = (JSON.parse(answer.text) as { spec: { key: string } }).spec.key;
  }
  const apiGroup = 'rbac.authorization.k8s.io';
  await admin.send('POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'both' },
    subjects: ['anna', 'bert'].map((name) => ({ apiGroup, kind: 'User', name })),
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
  });
  await logIn('admin', ADMIN_TOKEN);
  await ok('connect', 'cluster', 'east', '--kubeconfig-file', engine.server.kubeconfig);
  const annotations = { 'management.svc.example/direct-endpoint': 'https://east.example' };
  const merge = { 'content-type': 'application/merge-patch+json' };
  await admin.send('PATCH', `${API}/clusters/east`, { metadata: { annotations } }, merge);
  const spec = { allowedClusters: [{ name: 'east' }] };
  await admin.send('POST', `${API}/projects`, { metadata: { name: 'web' }, spec });
  await ok('create', 'space', 'dev', '--project', 'web', '--cluster', 'east');
});

afterAll(async () => {
  cli?.remove();
  await engine.remove();
});

test('a kubeconfig that "use" wrote keeps the login that it was made with', async () => {
  await logIn('one', keys.anna ?? '');
  await ok('use', 'space', 'dev', '--project', 'web');
  const { users } = parse(readFileSync(join(cli.home, '.kube', 'config'), 'utf8')) as {
    users: { user: { exec: { args: string[] } } }[];
  };
  const { args = [] } = users[0]?.user.exec ?? {};
  const subject = async (env: Record<string, string> = {}): Promise<unknown> => {
    const { code, stdout, stderr } = await cli.run(args, { env });
    if (code !== 0) return stderr;
    const { status } = JSON.parse(stdout) as { status: { token: string } };
    const [, claims = ''] = status.token.split('.');
    return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }).sub;
  };
  expect(await subject()).toBe('anna');
  await logIn('two', keys.bert ?? '');
  await ok('context', 'use', 'two');
  expect(await subject()).toBe('anna');
  const berts = { PLATFORM_ACCESS_KEY: keys.bert ?? '', PLATFORM_CA_FILE: ca() };
  expect(await subject({ ...berts, PLATFORM_URL: engine.server.url })).toBe('anna');
  expect(await subject({ ...berts, PLATFORM_URL: 'https://127.0.0.1:1' })).toBe('anna');
  expect(await subject({ KUBECONFIG: engine.server.kubeconfig })).toBe('anna');
  await logIn('one', keys.bert ?? '');
  expect(await subject()).toMatch(
    /another one by now; run "platform use space NAME" or "platform use vcluster NAME" again/,
  );
  await ok('--context', 'one', 'logout');
  expect(await subject()).toMatch(/is gone; log in again/);
});

test('entries of a secret do not steer a shell', async () => {
  const plain = { password: 'cA==', user: 'dQ==' };
  const place = `${API}/namespaces/default/sharedsecrets`;
  await admin.send('POST', place, { metadata: { name: 'db' }, spec: { data: plain } });
  expect((await ok('--context', 'admin', 'get', 'secret', 'db', '-o', 'env')).stdout).toBe(
    `password='p'\nuser='u'\n`,
  );
  for (const name of ['PATH', 'LD.PRELOAD']) {
    const secret = `s-${name.toLowerCase().replace(/[_.]/g, '-')}`;
    const data = { [name]: Buffer.from('/tmp/x').toString('base64'), a: 'YQ==' };
    await admin.send('POST', `${API}/namespaces/default/sharedsecrets`, {
      metadata: { name: secret },
      spec: { data },
    });
    const get = ['--context', 'admin', 'get', 'secret', secret, '-o', 'env'];
    expect(await cli.run(get)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('changes how a shell'),
    });
    expect((await ok(...get, '--allow-unsafe-env')).stdout).toContain(`='/tmp/x'`);
  }
});
