/**
 * A cluster that trusts this server through the shipped AuthenticationConfiguration, and verifies its tokens itself.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SignJWT, decodeJwt, importJWK, type JWK, type JWTPayload } from 'jose';
import { decodeRing } from '../../../pkg/clusteridentity/keyring.js';
import { SIGNING_KEYS } from '../../../pkg/clusteridentity/ringrecord.js';
import { openEtcd } from '../../../pkg/storage/etcd/open.js';
import { authenticationConfiguration } from '../../fixtures/objects/authenticationconfiguration.js';
import { client } from '../../fixtures/clients/client.js';
import { decrypted } from '../../fixtures/stores/encryptionkeys.js';
import { findProgram, startEtcd, type EtcdFixture } from '../../fixtures/stores/etcd.js';
import { HOST_RELEASES, startHost, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { describeWith, execute } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** The key that signs the server's tokens, which an attacker would need. */
async function stolenKey(etcd: EtcdFixture): Promise<JWK> {
  const engine = await openEtcd({
    endpoints: [etcd.endpoint],
    prefix: '/management',
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
  });
  const storage = await decrypted(engine);
  try {
    const { record } = await storage.get(SIGNING_KEYS);
    return decodeRing(record?.value as Buffer)[0]?.jwk as JWK;
  } finally {
    await storage.close();
  }
}

async function forged(key: JWK, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: key.kid as string })
    .sign(await importJWK(key, 'ES256'));
}

describeWith('etcd');
for (const release of HOST_RELEASES) {
  describeWith(release.apiserver)(`Kubernetes ${release.release}`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'direct-tokens-'));
    let etcd: EtcdFixture;
    let server: ServerFixture;
    let host: HostCluster;
    let foreign: ServerFixture;
    const keys = new Map<string, string>();

    beforeAll(async () => {
      etcd = await startEtcd();
      server = await startServer({ etcdServers: etcd.endpoint });
      foreign = await startServer({ flags: [`--service-account-issuer=${server.url}`] });
      const config = join(directory, 'authentication.yaml');
      writeFileSync(config, authenticationConfiguration(server, release, 'east'));
      host = await startHost(release, () => [`--authentication-config=${config}`]);
      for (const each of [server, foreign]) {
        await post(each, 'users', 'anna', { groups: ['devs'] });
        for (const name of ['east', 'west']) await post(each, 'clusters', name, {});
        await mayGetClusters(each);
        const { spec } = await post(each, 'ownedaccesskeys', 'anna', { user: 'anna' });
        keys.set(each.url, spec.key as string);
      }
      await bind('devs', { kind: 'Group', name: 'management:devs' });
    });
    afterAll(async () => {
      await host?.stop();
      await server?.remove();
      await foreign?.remove();
      await etcd?.stop();
      rmSync(directory, { recursive: true });
    });

    async function post(
      to: ServerFixture,
      plural: string,
      name: string,
      spec: object,
    ): Promise<{ spec: Record<string, unknown> }> {
      const { status, text } = await client(to).send('POST', `${API}/${plural}`, {
        metadata: { name },
        spec,
      });
      if (status !== 201) throw new Error(`${plural} ${name}: ${text}`);
      return JSON.parse(text) as { spec: Record<string, unknown> };
    }
    async function mayGetClusters(to: ServerFixture): Promise<void> {
      const apiGroup = 'rbac.authorization.k8s.io';
      const rules = [{ apiGroups: ['management.svc.example'], resources: ['clusters'], verbs: ['get'] }];
      const roleRef = { kind: 'ClusterRole', apiGroup, name: 'clusters' };
      const subjects = [{ apiGroup, kind: 'User', name: 'anna' }];
      const metadata = { name: 'clusters' };
      await client(to).send('POST', `${RBAC}/clusterroles`, { metadata, rules });
      await client(to).send('POST', `${RBAC}/clusterrolebindings`, { metadata, roleRef, subjects });
    }
    async function bind(name: string, subject: object): Promise<void> {
      const apiGroup = 'rbac.authorization.k8s.io';
      const roleRef = { kind: 'ClusterRole', apiGroup, name: 'view' };
      const body = { metadata: { name }, roleRef, subjects: [{ apiGroup, ...subject }] };
      expect((await host.api.send('POST', `${RBAC}/clusterrolebindings`, body)).status).toBe(201);
    }
    /** A token of anna. */
    async function tokenOf(spec: object = {}, from = server): Promise<string> {
      const answer = await client(from, keys.get(from.url)).send(
        'POST',
        `${API}/directclusterendpointtokens`,
        { spec: { cluster: 'east', ...spec } },
      );
      if (answer.status !== 201) throw new Error(answer.text);
      return (JSON.parse(answer.text) as { status: { token: string } }).status.token;
    }
    /** The user that the cluster authenticates; 401: none. */
    async function whoIs(token: string): Promise<unknown> {
      const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
      const answer = await client(host, token).send(
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        review,
      );
      if (answer.status !== 201) return answer.status;
      return (JSON.parse(answer.text) as { status: { userInfo: unknown } }).status.userInfo;
    }

    test('refuses tokens that are for another cluster, or for none', async () => {
      expect(await whoIs(await tokenOf({ cluster: 'west' }))).toBe(401);
      expect(await whoIs(await tokenOf({ cluster: '' }))).toBe(401);
    });

    test('knows the bearer by prefixed names', async () => {
      const token = await tokenOf();
      const { uid } = decodeJwt(token)['management.svc.example'] as { uid: string };
      expect(await whoIs(token)).toMatchObject({
        username: 'management:anna',
        uid,
        groups: [
          'management:management:user:anna',
          'management:management:authenticated',
          'management:devs',
          'system:authenticated',
        ],
      });
    });

    test('kubectl works with the token', async () => {
      const kubectl = findProgram('kubectl') as string;
      const flags = [`--server=${host.url}`, '--insecure-skip-tls-verify', `--token=${await tokenOf()}`];
      const home = { env: { HOME: directory, KUBECONFIG: '' } };
      const read = execute(kubectl, [...flags, 'get', 'namespaces', '-o', 'name'], home);
      expect(read).toMatchObject({ code: 0, out: expect.stringContaining('namespace/default') });
      const write = execute(kubectl, [...flags, 'create', 'namespace', 'mine'], home);
      expect(write.err).toContain('User "management:anna" cannot create resource "namespaces"');
    });

    test('a token with a scope is refused', async () => {
      expect(await whoIs(await tokenOf({ scope: { projects: [{ project: '*' }] } }))).toBe(401);
    });

    test('a token of a service account is refused, also one for the same audience', async () => {
      const path = '/api/v1/namespaces/default/serviceaccounts';
      await client(server).send('POST', path, { metadata: { name: 'robot' } });
      const answer = await client(server).send('POST', `${path}/robot/token`, {
        spec: { audiences: ['management-direct-endpoint'] },
      });
      const { token } = (JSON.parse(answer.text) as { status: { token: string } }).status;
      expect(await whoIs(token)).toBe(401);
    });

    test('a token of another server that calls itself the same is refused', async () => {
      const token = await tokenOf({}, foreign);
      expect(decodeJwt(token).iss).toBe(server.url);
      expect(await whoIs(token)).toBe(401);
    });

    test('a holder of the key cannot grant more than users may have, nor for longer', async () => {
      const key = await stolenKey(etcd);
      const claims = decodeJwt(await tokenOf());
      expect(await whoIs(await forged(key, claims))).toMatchObject({ username: 'management:anna' });
      const past = Math.floor(Date.now() / 1000) - 1000;
      const own = claims['management.svc.example'] as object;
      const refused: JWTPayload[] = [
        { ...claims, groups: ['system:masters'] },
        { ...claims, groups: 'system:masters' },
        { ...claims, groups: undefined },
        { ...claims, sub: 'system:admin' },
        { ...claims, iat: past - 100, nbf: past - 100, exp: past },
        { ...claims, aud: 'other' },
        { ...claims, iss: foreign.url },
        { ...claims, 'management.svc.example': { ...own, scope: {} } },
        { ...claims, 'management.svc.example': undefined },
      ];
      for (const each of refused) expect([each, await whoIs(await forged(key, each))]).toEqual([each, 401]);
    });
  });
}
