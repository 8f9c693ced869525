/**
 * Administrators' keys: an administrator can see a leaked key and revoke it at once, and no key is recreated by itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { prefixEnd } from '../../../pkg/storage/interface.js';
import { tokenOf } from '../../../pkg/pki/kubeconfig.js';
import { client } from '../../fixtures/clients/client.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { openWatch, type OpenWatch } from '../../fixtures/clients/openwatch.js';
import { execute } from '../../fixtures/program.js';
import { ADMIN_TOKEN, compiledServer, fetchFrom } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const KEYS = '/apis/management.svc.example/v1/ownedaccesskeys';
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const MAPS = '/api/v1/configmaps';

interface Key {
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

describe.each(ENGINES)('%s', (engineName, start) => {
  let engine: EngineServer;
  let second: string;
  let place: string[];

  const tokenIn = (path: string): string => tokenOf(readFileSync(path, 'utf8')) as string;
  const first = (): string => tokenIn(engine.server.kubeconfig);
  const status = async (token: string): Promise<number> =>
    (await fetchFrom(`${engine.server.url}/api/v1/namespaces`, { token })).status;
  const keys = async (): Promise<Key[]> => {
    const { text } = await client(engine.server, ADMIN_TOKEN).send('GET', KEYS);
    return (JSON.parse(text) as { items: Key[] }).items;
  };
  const nameOf = async (token: string): Promise<string> => {
    const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
    const { text } = await client(engine.server, token).send('POST', SELF, review);
    const { userInfo } = (JSON.parse(text) as { status: { userInfo: Record<string, unknown> } }).status;
    expect(userInfo).toMatchObject({ username: 'admin', groups: expect.arrayContaining(['system:masters']) });
    return (userInfo.extra as Record<string, string[]>)['management.svc.example/access-key']?.[0] ?? '';
  };
  const run = (...args: string[]) =>
    execute(process.execPath, [compiledServer(), 'admin-key', ...args, ...place], {
      env: { NODE_OPTIONS: '' },
    });
  const watch = (token: string): Promise<OpenWatch> =>
    openWatch(engine.server.url, `${MAPS}?watch=1`, { headers: { authorization: `Bearer ${token}` } });

  /** Starts a server that writes another kubeconfig for the same store, and stops it. */
  async function writeSecond(): Promise<string> {
    const path = join(engine.server.directory, 'second');
    const args = [compiledServer(), '--secure-port=0', `--write-kubeconfig=${path}`];
    const child = spawn(process.execPath, [...args, ...place], { env: { ...process.env, NODE_OPTIONS: '' } });
    const exited = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), exited]);
    child.kill('SIGTERM');
    await exited;
    return tokenIn(path);
  }

  beforeAll(async () => {
    engine = await start();
    place = [
      `--data-dir=${join(engine.server.directory, 'data')}`,
      `--encryption-key-file=${join(engine.server.directory, 'encryption.key')}`,
    ];
    if (engineName === 'etcd') place.push(`--etcd-servers=${engine.etcd ?? ''}`);
    await engine.server.stop();
    second = await writeSecond();
    await engine.server.restart();
  });
  afterAll(() => engine?.remove());

  test('are access keys with a description, and show no key', async () => {
    const all = await keys();
    expect(all.map(({ metadata }) => metadata.name).sort()).toEqual(
      [await nameOf(first()), await nameOf(second)].sort(),
    );
    for (const { spec } of all) {
      expect(spec).toMatchObject({ displayName: "Administrator's kubeconfig", user: 'admin', type: 'Other' });
      expect(spec.key).toBeUndefined();
      expect(spec.description).not.toContain(engine.server.directory);
    }
  });

  test('a revoked key ends at once with its watches, and the other key stays valid', async () => {
    const [token, name] = [first(), await nameOf(first())];
    const watches = [await watch(token), await watch(second)];
    if (engineName === 'etcd') {
      const { out } = run('list');
      for (const one of [name, await nameOf(second)])
        expect(out).toMatch(new RegExp(`^${one} +\\S+Z +\\S+ +active$`, 'm'));
      for (const one of [token, second]) expect(out).not.toContain(one);
      expect(run('revoke', name)).toMatchObject({ code: 0, out: `revoked ${name}\n` });
    } else {
      const err = expect.stringContaining('kubectl delete ownedaccesskey NAME');
      expect(run('revoke', name)).toMatchObject({ code: 1, out: '', err });
      expect((await client(engine.server, second).send('DELETE', `${KEYS}/${name}`)).status).toBe(200);
    }
    await eventually('401', async () => (await status(token)) === 401);
    await eventually('the end of the watch', async () => watches[0]?.endedAt() !== undefined);
    expect([await status(second), watches[1]?.endedAt()]).toEqual([200, undefined]);
    watches[1]?.stop();
    // Not even with its name and its key, and for the same user.
    const again = { metadata: { name }, spec: { user: 'admin', type: 'Other', key: token } };
    const admin = client(engine.server, ADMIN_TOKEN);
    expect((await admin.send('POST', KEYS, again)).status).toBe(201);
    const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
    const asked = await client(engine.server, token).send('POST', SELF, review);
    expect([asked.status, asked.text.includes('system:masters')]).toEqual([201, false]);
    expect((await admin.send('DELETE', `${KEYS}/${name}`)).status).toBe(200);
  });

  test('is not recreated; a start with --write-kubeconfig creates another', async () => {
    const before = first();
    await engine.server.stop();
    const { out } = run('list');
    expect(out).toContain('active');
    if (engineName !== 'etcd') expect(out).toContain('revoked');
    expect(run('revoke', 'admin-kubeconfig-none')).toMatchObject({ code: 1, out: '' });
    expect(run('revoke', '--all')).toMatchObject({ code: 0, err: '' });
    await engine.server.restart();
    expect(first()).not.toBe(before);
    expect(await Promise.all([before, second, first()].map(status))).toEqual([401, 401, 200]);
    expect(await keys()).toHaveLength(1);
  });

  // The store is no part of these.
  if (engineName !== 'embedded') return;

  test("is no administrator's any more when its object is made into another key", async () => {
    const name = await nameOf(first());
    const merge = { 'content-type': 'application/merge-patch+json' };
    const admin = client(engine.server, ADMIN_TOKEN);
    const patched = await admin.send('PATCH', `${KEYS}/${name}`, { spec: { disabled: true } }, merge);
    expect(patched.status).toBe(200);
    await eventually('401', async () => (await status(first())) === 401);
    const rotated = { disabled: false, key: 'a-key-that-somebody-chose-for-themselves' };
    await admin.send('PATCH', `${KEYS}/${name}`, { spec: rotated }, merge);
    expect(await status(first())).toBe(401);
    const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
    const { text } = await client(engine.server, rotated.key).send('POST', SELF, review);
    expect(text).not.toContain('system:masters');
  });

  test('does not stop a start when its record is damaged: it is named, listed and revoked', async () => {
    const before = first();
    await engine.server.stop();
    const storage = await engine.openStore();
    const range = { start: 'private/adminkey/', end: prefixEnd('private/adminkey/') };
    const { records } = await storage.scan(range);
    const stray = 'private/adminkey/0123456789abcdef';
    const damages = [...records.map(({ key }) => key), stray];
    for (const key of damages) await storage.commit([{ key, value: Buffer.from('{"hash":'), expect: 'any' }]);
    await storage.close();
    await engine.server.restart();
    for (const key of damages) expect(engine.server.log()).toContain(key);
    expect(await Promise.all([before, first()].map(status))).toEqual([401, 200]);
    await engine.server.stop();
    expect(run('list').out).toMatch(/^damaged-0123456789ab +<unknown> +<none> +damaged$/m);
    expect(run('revoke', 'damaged-0123456789ab')).toMatchObject({ code: 0, err: '' });
    expect(run('list').out).not.toContain('damaged');
  });
});
