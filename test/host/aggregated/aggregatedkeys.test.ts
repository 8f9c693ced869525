/**
 * Access keys of users: at the server's own port, and through a kube-apiserver that sends TokenReviews to this server.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allow } from '../../fixtures/clients/impersonation.js';
import {
  startOwnAggregated,
  type AggregatedHost,
  type HostFlags,
} from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { watchesEndWithKeys } from '../../fixtures/host/keywatches.js';
import { ProjectKeyRealm } from '../../fixtures/objects/projectkeyrealm.js';
import { projectKeysSuite } from '../../fixtures/objects/projectkeysuite.js';
import { ADMIN_TOKEN } from '../../fixtures/servers/server.js';
import { ownersKeepLimits } from '../../fixtures/objects/ownerlimitsuite.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const SECRETS = `${API}/namespaces/team/sharedsecrets`;
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
/** The name in the client certificate of the host, which its own CA signed. */
const HOST_USER = 'client';

/** The host sends TokenReviews for tokens that it does not know to this server. */
const webhook: HostFlags = ({ directory, url, certificates }, files) => {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'management',
        cluster: { server: `${url}${REVIEWS}`, 'certificate-authority': certificates.caFile },
      },
    ],
    users: [
      {
        name: 'host',
        user: {
          'client-certificate': files.certificates.clientCertFile,
          'client-key': files.certificates.clientKeyFile,
        },
      },
    ],
    contexts: [{ name: 'webhook', context: { cluster: 'management', user: 'host' } }],
    'current-context': 'webhook',
  };
  const path = join(directory, 'webhook.kubeconfig');
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return [
    `--authentication-token-webhook-config-file=${path}`,
    '--authentication-token-webhook-version=v1',
    '--authentication-token-webhook-cache-ttl=1s',
  ];
};

interface Key {
  readonly spec: { readonly key: string };
}
interface Who {
  readonly status: { readonly userInfo: { readonly username: string; readonly groups: readonly string[] } };
}

describeWith(NEWEST_HOST.apiserver)('access keys behind Kubernetes', () => {
  let aggregated: AggregatedHost;

  beforeAll(async () => {
    aggregated = await startOwnAggregated(NEWEST_HOST, ours(), webhook);
    const { host } = aggregated;
    await allow(host, HOST_USER, '', {
      apiGroups: ['authentication.k8s.io'],
      resources: ['tokenreviews'],
      verbs: ['create'],
    });
    for (const name of ['team', 'other']) await made(host.api, '/api/v1/namespaces', { metadata: { name } });
    await made(host.api, SECRETS, { metadata: { name: 'db' }, spec: { data: { a: 'YQ==' } } });
    await made(host.api, `${API}/users`, { metadata: { name: 'alice' } });
    for (const namespace of ['team', 'other'])
      await allow(host, 'alice', namespace, {
        apiGroups: [GROUP, ''],
        resources: ['sharedsecrets', 'configmaps'],
        verbs: ['get', 'list'],
      });
  });
  afterAll(() => aggregated?.stop());

  async function keyOf(name: string, spec: object = {}): Promise<string> {
    const issued = await made<Key>(aggregated.host.api, `${API}/ownedaccesskeys`, {
      metadata: { name },
      spec: { user: 'alice', ...spec },
    });
    return issued.spec.key;
  }
  async function who(as: Client): Promise<Who['status']['userInfo'] | number> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { status, text } = await as.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', body);
    return status === 201 ? (JSON.parse(text) as Who).status.userInfo : status;
  }
  const alice = {
    username: 'alice',
    groups: expect.arrayContaining(['management:user:alice', 'management:authenticated']),
  };

  test('a key is its user on the own port, with the rights that the host gives them', async () => {
    const key = client(aggregated, await keyOf('own'));
    expect(await who(key)).toMatchObject(alice);
    expect((await key.send('GET', `${SECRETS}/db`)).status).toBe(200);
    expect((await key.send('DELETE', `${SECRETS}/db`)).status).toBe(403);
    expect((await key.send('GET', `${API}/users/bob`)).status).toBe(403);
  });

  test('a key authenticates its user at the host, too, through a TokenReview', async () => {
    const key = client(aggregated.host, await keyOf('through'));
    expect(await who(key)).toMatchObject(alice);
    expect((await key.send('GET', `${SECRETS}/db`)).status).toBe(200);
    expect((await key.send('GET', '/api/v1/namespaces/team/configmaps')).status).toBe(200);
    expect((await key.send('GET', '/api/v1/namespaces/default/configmaps')).status).toBe(403);
  });

  test("the scope of a key is enforced at the server's own port, and the host accepts no scoped key", async () => {
    const resources = [{ group: GROUP, resources: ['sharedsecrets'] }];
    const scope = { rules: [{ verbs: ['get'], namespaces: ['team'], resources }] };
    const key = await keyOf('scoped', { scope });
    const elsewhere = `${SECRETS}/db`.replace('/team/', '/other/');
    const whole = client(aggregated, await keyOf('whole'));
    expect((await whole.send('GET', elsewhere)).status).toBe(404);
    const own = client(aggregated, key);
    expect((await own.send('GET', `${SECRETS}/db`)).status).toBe(200);
    const { status, text } = await own.send('GET', elsewhere);
    expect([status, text]).toEqual([403, expect.stringContaining('denied by access key scope')]);
    expect((await client(aggregated.host, key).send('GET', `${SECRETS}/db`)).status).toBe(401);
  });

  test('a key that is disabled ends at once here, and at the host with its cache', async () => {
    const key = await keyOf('ends');
    const [own, through] = [client(aggregated, key), client(aggregated.host, key)];
    expect(await Promise.all([who(own), who(through)])).toMatchObject([alice, alice]);
    const type = { 'content-type': 'application/merge-patch+json' };
    const path = `${API}/ownedaccesskeys/ends`;
    await aggregated.host.api.send('PATCH', path, { spec: { disabled: true } }, type);
    expect(await who(own)).toBe(401);
    await eventually('its end at the host', async () => (await who(through)) === 401);
  });

  test('a made-up key is refused', async () => {
    const issued = `mk_${'x'.repeat(46)}`;
    expect(await who(client(aggregated, issued))).toBe(401);
    expect(await who(client(aggregated.host, issued))).toBe(401);
  });

  test('a user who may not create reviews learns nothing of keys', async () => {
    const key = client(aggregated, await keyOf('asks'));
    const { status } = await key.send('POST', REVIEWS, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: 'x' },
    });
    expect(status).toBe(403);
  });

  describe('watches', () => watchesEndWithKeys(() => aggregated));
  describe('of a project', () =>
    projectKeysSuite(() => Promise.resolve(new ProjectKeyRealm(aggregated.server.url, ADMIN_TOKEN))));
  describe('limits of owners', () =>
    ownersKeepLimits(() => Promise.resolve({ server: aggregated.host, remove: () => Promise.resolve() })));
});
