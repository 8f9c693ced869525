/** The objects that holders of access keys see in lists and watches. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { ADMIN } from '../../fixtures/clients/impersonation.js';
import { API, get, parsed, pathOf, secretsIn, SecretRealm } from '../../fixtures/objects/secretrealm.js';
import { fetchFrom, type Answer } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';
import { watching } from '../../fixtures/clients/watchevents.js';

let on: SecretRealm;
beforeAll(async () => {
  on = await SecretRealm.start(startEmbedded);
});
afterAll(() => on.remove());

describe('people with access keys', () => {
  const keys: Record<string, string> = {};
  const asKey = (user: string, method: string, path: string, body?: object): Promise<Answer> =>
    fetchFrom(on.running.server.url + path, {
      method,
      token: keys[user] as string,
      headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const keyNames = async (user: string): Promise<string[]> =>
    parsed(await asKey(user, 'GET', `${API}/ownedaccesskeys`)).items.map(({ metadata }) => metadata.name);

  beforeAll(async () => {
    await on.namespace('keys');
    for (const name of ['ann', 'ben']) {
      await on.ok(ADMIN, 'POST', `${API}/users`, { metadata: { name } });
      const body = { metadata: { name: `${name}-key` }, spec: { user: name } };
      keys[name] = parsed<{ spec: { key: string } }>(
        await on.ok(ADMIN, 'POST', `${API}/ownedaccesskeys`, body),
      ).spec.key;
    }
  });

  test('they see their own keys', async () => {
    expect(await keyNames('ann')).toEqual(['ann-key']);
    const version = parsed(await asKey('ann', 'GET', `${API}/ownedaccesskeys`)).metadata.resourceVersion;
    const stream = await watching(
      on.running.server,
      `${API}/ownedaccesskeys?watch=true&resourceVersion=${version}`,
      { authorization: `Bearer ${keys.ann ?? ''}` },
    );
    expect(
      (await asKey('ann', 'POST', `${API}/ownedaccesskeys`, { metadata: { name: 'ann-2' } })).status,
    ).toBe(201);
    expect(
      (await asKey('ben', 'POST', `${API}/ownedaccesskeys`, { metadata: { name: 'ben-2' } })).status,
    ).toBe(201);
    expect((await asKey('ann', 'DELETE', `${API}/ownedaccesskeys/ann-2`)).status).toBe(200);
    // The last use of a key is written to the key with a delay.
    const said = (): string[] => stream.said().filter((one) => one !== 'MODIFIED ann-key');
    await eventually('both events', () => Promise.resolve(said().length >= 2));
    expect(said()).toEqual(['ADDED ann-2', 'DELETED ann-2']);
    stream.stop();
    expect(await keyNames('ann')).toEqual(['ann-key']);
    expect(await keyNames('ben')).toEqual(['ben-2', 'ben-key']);
    expect((await asKey('ann', 'DELETE', `${API}/ownedaccesskeys`)).status).toBe(200);
    const names = parsed(await on.ok(ADMIN, 'GET', `${API}/ownedaccesskeys`)).items.map(
      ({ metadata }) => metadata.name,
    );
    const left = names.filter((name) => !name.startsWith('admin-kubeconfig-'));
    expect(left).toEqual(['ben-2', 'ben-key']);
    const body = { metadata: { name: 'ann-key' }, spec: { user: 'ann' } };
    keys.ann = parsed<{ spec: { key: string } }>(
      await on.ok(ADMIN, 'POST', `${API}/ownedaccesskeys`, body),
    ).spec.key;
  });

  test('joining or leaving a team ends watches with 410', async () => {
    await on.create('keys', 'of-team', { owner: { team: 'crew' } });
    await on.create('keys', 'of-ann', { owner: { user: 'ann' } });
    await on.ok(ADMIN, 'POST', `${API}/teams`, {
      metadata: { name: 'crew' },
      spec: { users: ['ann', 'ben'] },
    });
    const secrets = secretsIn('keys');
    const seen = async (): Promise<string[]> => parsed(await asKey('ann', 'GET', secrets)).items.map(pathOf);
    expect(await seen()).toEqual(['keys/of-ann', 'keys/of-team']);
    const version = parsed(await asKey('ann', 'GET', secrets)).metadata.resourceVersion;
    const path = `${secrets}?watch=true&resourceVersion=${version}`;
    const headers = { authorization: `Bearer ${keys.ann ?? ''}` };
    const stream = await watching(on.running.server, path, headers);
    await on.ok(ADMIN, 'PATCH', `${API}/teams/crew`, { spec: { users: ['ben'] } });
    await stream.until(1);
    const resumed = await watching(on.running.server, path, headers);
    await resumed.until(1);
    expect([stream.said(), resumed.said()]).toEqual([['ERROR 410'], ['ERROR 410']]);
    expect(await seen()).toEqual(['keys/of-ann']);
  });

  test('a scope narrows what is seen', async () => {
    await on.namespace('loft-p-scoped');
    await on.create('loft-p-scoped', 'inside', { owner: { user: 'ann' } });
    const body = {
      metadata: { name: 'ann-scoped' },
      spec: { user: 'ann', scope: { projects: [{ project: 'scoped' }] } },
    };
    keys.scoped = parsed<{ spec: { key: string } }>(
      await on.ok(ADMIN, 'POST', `${API}/ownedaccesskeys`, body),
    ).spec.key;
    const all = parsed(await asKey('scoped', 'GET', secretsIn('')));
    expect(all.items.map(pathOf)).toEqual(['loft-p-scoped/inside']);
    expect((await asKey('scoped', 'GET', secretsIn('keys'))).status).toBe(403);
    const whole = parsed(await asKey('ann', 'GET', secretsIn(''))).items.map(pathOf);
    expect(whole).toEqual(expect.arrayContaining(['keys/of-ann', 'loft-p-scoped/inside']));
  });

  test('an informer ends up with what may be seen', async () => {
    await on.namespace('informed');
    for (let at = 0; at < 6; at += 1)
      await on.create('informed', `s-${at}`, { access: at % 2 === 0 ? [get('ann')] : [] });
    const config = new KubeConfig();
    const authority = join(on.running.server.directory, 'informed');
    writeFileSync(authority, '');
    config.loadFromClusterAndUser(
      { name: 'c', server: on.running.server.url, skipTLSVerify: true },
      { name: 'ann', token: keys.ann as string },
    );
    const api = config.makeApiClient(CustomObjectsApi);
    const at = {
      group: 'management.svc.example',
      version: 'v1',
      namespace: 'informed',
      plural: 'sharedsecrets',
    };
    const informer = makeInformer(
      config,
      secretsIn('informed'),
      async () => (await api.listNamespacedCustomObject(at)) as KubernetesListObject<KubernetesObject>,
    );
    let isOver = false;
    const goOn = (): unknown => isOver || informer.start();
    informer.on('error', () => void setTimeout(goOn, 50));
    await informer.start();
    const seen = (): string[] =>
      informer
        .list()
        .map(({ metadata }) => `${metadata?.name ?? ''}@${metadata?.resourceVersion ?? ''}`)
        .sort();
    const changes = [
      () => on.share('informed', 's-1', [get('ann')]),
      () => on.share('informed', 's-0', []),
      () => on.delete('informed', 's-2'),
      () => on.create('informed', 's-9', { owner: { user: 'ann' } }),
      () => on.share('informed', 's-3', [get('ann')]),
      () => on.ok(ADMIN, 'PATCH', `${secretsIn('informed')}/s-4`, { spec: { displayName: 'again' } }),
    ];
    for (const change of changes) {
      await change();
      const { items } = parsed<KubernetesListObject<KubernetesObject>>(
        await asKey('ann', 'GET', secretsIn('informed')),
      );
      const wanted = items
        .map(({ metadata }) => `${metadata?.name ?? ''}@${metadata?.resourceVersion ?? ''}`)
        .sort();
      await eventually('the same', () => Promise.resolve(JSON.stringify(seen()) === JSON.stringify(wanted)));
    }
    isOver = true;
    await informer.stop();
  });
});
