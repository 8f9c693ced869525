/**
 * Authentication and authorization that a real host decides: requests to the server's own port, with all kinds of
 * credentials.
 */
import { createPrivateKey, webcrypto } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startOwnAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { makeAuthority, makeClient, type Identity } from '../../fixtures/clients/clientcertificates.js';
import type { Certificates } from '../../fixtures/stores/etcdcertificates.js';
import { HOST_RELEASES, NEWEST_HOST, type OwnHost } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { ADMIN_TOKEN, VIEWER_TOKEN } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const CONFIG_MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const SECRET = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets/none';
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
/** Less than a decision of the host stays in the cache while no role and no binding changes, in ms. */
const CACHED_MS = 4_000;

interface Shown {
  readonly cert?: string;
  readonly key?: string;
}
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}
type Headers = Readonly<Record<string, string | string[]>>;

const filesOf = (certFile: string, keyFile: string): Shown => ({
  cert: readFileSync(certFile, 'utf8'),
  key: readFileSync(keyFile, 'utf8'),
});
const shown = ({ certificate: cert, key }: Identity): Shown => ({ cert, key });
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Loads a CA from files, to issue certificates. */
async function authorityOf({ caFile, caKeyFile }: Certificates): Promise<Identity> {
  const key = readFileSync(caKeyFile, 'utf8');
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  const keys = { privateKey } as webcrypto.CryptoKeyPair;
  return { certificate: readFileSync(caFile, 'utf8'), key, keys };
}

for (const release of HOST_RELEASES)
  describeWith(release.apiserver, 'helm')(`what Kubernetes ${release.release} says of clients`, () => {
    let aggregated: AggregatedHost<OwnHost>;
    let proxy: Shown;
    let proxies: Identity;
    beforeAll(async () => {
      aggregated = await startOwnAggregated(release, ours());
      const { frontProxy } = aggregated.host;
      proxy = filesOf(frontProxy.clientCertFile, frontProxy.clientKeyFile);
      proxies = await authorityOf(frontProxy);
    });
    afterAll(() => aggregated?.stop());

    function ask(path: string, headers: Headers, certificate: Shown = {}, agent?: Agent): Promise<Answer> {
      const method = path === SELF ? 'POST' : 'GET';
      const url = `${aggregated.url}${path}`;
      const options = { method, agent: agent ?? false, rejectUnauthorized: false, ...certificate };
      return new Promise((resolve, reject) => {
        const sent = request(
          url,
          { ...options, headers: { 'content-type': 'application/json', ...headers } },
          (response) => {
            let text = '';
            response.on('data', (chunk: Buffer) => (text += chunk.toString()));
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                text,
                retryAfter: response.headers['retry-after'],
              }),
            );
          },
        );
        sent.on('error', reject);
        sent.end(method === 'POST' ? '{}' : undefined);
      });
    }

    /** The name of the authenticated user; the status if the request is refused. */
    async function whoIs(headers: Headers, certificate: Shown = {}, agent?: Agent): Promise<string | number> {
      const { status, text } = await ask(SELF, headers, certificate, agent);
      if (status !== 201) return status;
      return (JSON.parse(text) as { status: { userInfo: { username: string } } }).status.userInfo.username;
    }

    const bind = async (name: string, role = name): Promise<void> => {
      const subjects = [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role };
      await made(aggregated.host.api, `${RBAC}/rolebindings`, { metadata: { name }, subjects, roleRef });
    };
    const unbind = async (name: string): Promise<void> => {
      expect((await aggregated.host.api.send('DELETE', `${RBAC}/rolebindings/${name}`)).status).toBe(200);
    };

    const BOB = { 'x-remote-user': 'bob' };

    test('only the front proxy may name the user', async () => {
      const { certificates, frontProxy } = aggregated.host;
      const eve = filesOf(certificates.clientCertFile, certificates.clientKeyFile);
      const asked: readonly (readonly [string, Headers, Shown, string | number])[] = [
        ['the proxy', BOB, proxy, 'bob'],
        ["a user's certificate", {}, eve, 'client'],
        ["a user's certificate, of the proxy's name, with headers", BOB, eve, 'client'],
        [
          "another certificate of the proxy's authority",
          BOB,
          filesOf(frontProxy.serverCertFile, frontProxy.serverKeyFile),
          401,
        ],
        [
          'one of it that has ended',
          BOB,
          shown(await makeClient(proxies, 'client', { from: -3, to: -1 })),
          401,
        ],
        ['one of it that lasts', BOB, shown(await makeClient(proxies, 'client')), 'bob'],
        [
          'one of another authority',
          BOB,
          shown(await makeClient(await makeAuthority('etcd test'), 'client')),
          401,
        ],
        ['a token with headers', { ...BOB, ...bearer(VIEWER_TOKEN) }, {}, 'viewer'],
        ['a token that nobody knows', bearer('nobody'), {}, 401],
        ['the proxy, with a token', { ...BOB, ...bearer(VIEWER_TOKEN) }, proxy, 'bob'],
      ];
      for (const [what, headers, certificate, expected] of asked)
        expect([what, await whoIs(headers, certificate)]).toEqual([what, expected]);
    });

    test('a token that is revoked ends', async () => {
      const { api } = aggregated.host;
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await made(api, accounts, { metadata: { name: 'robot' } });
      const { status } = await made<{ status: { token: string } }>(api, `${accounts}/robot/token`, {
        spec: {},
      });
      expect(await whoIs(bearer(status.token))).toBe('system:serviceaccount:default:robot');
      expect((await api.send('DELETE', `${accounts}/robot`)).status).toBe(200);
      // The host itself caches tokens for ten seconds.
      await eventually('its end', async () => (await whoIs(bearer(status.token))) === 401);
    });

    test('a refusal says why, and changes of roles count at once', async () => {
      const get = () => ask(SECRET, bearer(VIEWER_TOKEN));
      expect(await get()).toMatchObject({ status: 403 });
      const hasReason = async (): Promise<boolean> => (await get()).text.includes('"missing\\" not found');
      // A cached refusal that no change drops makes every attempt longer. One that a busy machine makes longer is repeated.
      await eventually('a reason that comes and goes before a cached refusal expires', async () => {
        const began = Date.now();
        await bind('astray', 'missing');
        await eventually('the reason', hasReason);
        await unbind('astray');
        await eventually('another refusal', async () => !(await hasReason()));
        return Date.now() - began < CACHED_MS;
      });
      const rules = [{ apiGroups: ['management.svc.example'], resources: ['sharedsecrets'], verbs: ['get'] }];
      await made(aggregated.host.api, `${RBAC}/roles`, { metadata: { name: 'reader' }, rules });
      await bind('reader');
      await eventually('the right', async () => (await get()).status === 404);
      await unbind('reader');
      await eventually('its end', async () => (await get()).status === 403);
    });

    /** Gives the user `viewer` these rules. */
    async function permit(name: string, ...rules: object[]): Promise<void> {
      const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      await made(aggregated.host.api, roles, { metadata: { name }, rules });
      await made(aggregated.host.api, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name },
        subjects: [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      });
    }

    test('impersonation requires a right at the host', async () => {
      const as = { 'impersonate-user': 'jane' };
      expect(await whoIs({ ...bearer(VIEWER_TOKEN), ...as })).toBe(403);
      await permit('as-jane', {
        apiGroups: [''],
        resources: ['users'],
        verbs: ['impersonate'],
        resourceNames: ['jane'],
      });
      await eventually('jane', async () => (await whoIs({ ...bearer(VIEWER_TOKEN), ...as })) === 'jane');
      expect(await whoIs({ ...bearer(VIEWER_TOKEN), 'impersonate-user': 'joan' })).toBe(403);
    });

    test('constrained impersonation is for one verb, at the host as here', async () => {
      const headers = { ...bearer(VIEWER_TOKEN), 'impersonate-user': 'jim' };
      await permit(
        'as-jim',
        {
          apiGroups: ['authentication.k8s.io'],
          resources: ['users'],
          verbs: ['impersonate:user-info'],
          resourceNames: ['jim'],
        },
        {
          apiGroups: ['management.svc.example'],
          resources: ['sharedsecrets'],
          verbs: ['impersonate-on:user-info:get'],
        },
      );
      await eventually('jim', async () => (await ask(SECRET, headers)).text.includes('User \\"jim\\"'));
      expect(await whoIs(headers)).toBe(403);
      const atHost = async (method: string): Promise<string> =>
        (await client(aggregated.host, VIEWER_TOKEN).send(method, SECRET, undefined, headers)).text;
      // Kubernetes has it since 1.36.
      const who = release === NEWEST_HOST ? 'jim' : 'viewer';
      expect(await atHost('GET')).toContain(`User \\"${who}\\" cannot`);
      expect(await atHost('DELETE')).toContain('User \\"viewer\\" cannot impersonate');
    });

    test('changes of the ConfigMap count for open connections, and invalid ones are ignored', async () => {
      const { api, frontProxy } = aggregated.host;
      const trustOnly = async (pem: string): Promise<void> => {
        const data = { 'requestheader-client-ca-file': pem };
        const type = { 'content-type': 'application/merge-patch+json' };
        expect((await api.send('PATCH', CONFIG_MAP, { data }, type)).status).toBe(200);
      };
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const said = () => whoIs(BOB, proxy, agent);
      expect(await said()).toBe('bob');
      await trustOnly('nonsense');
      const complaint = /requestheader-client-ca-file: it holds no PEM certificate/;
      await eventually('a complaint', () => Promise.resolve(complaint.test(aggregated.server.log())));
      expect(await said()).toBe('bob');
      const next = await makeAuthority('next');
      const renewed = shown(await makeClient(next, 'client'));
      await trustOnly(proxies.certificate + next.certificate);
      await eventually('the next one', async () => (await whoIs(BOB, renewed)) === 'bob');
      expect(await said()).toBe('bob');
      // The host adds its own CA again, unless the ConfigMap has another.
      writeFileSync(frontProxy.caFile, next.certificate);
      const isOver = async (): Promise<boolean> => {
        await trustOnly(next.certificate);
        return (await said()) === 401;
      };
      await eventually('the end of the old one', isOver);
      expect(await whoIs(BOB, renewed)).toBe('bob');
      writeFileSync(frontProxy.caFile, proxies.certificate);
      await trustOnly(proxies.certificate);
      await eventually('its return', async () => (await said()) === 'bob');
      agent.destroy();
    });

    test('while the host is away, requests that need its answer are refused', async () => {
      const { host } = aggregated;
      const admin = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };
      expect(await ask(SECRET, bearer(VIEWER_TOKEN))).toMatchObject({ status: 403 });
      await host.stopApiserver();
      try {
        const [stranger, token, master, probe] = await Promise.all([
          ask(SECRET, { 'x-remote-user': 'never-seen' }, proxy),
          ask(SECRET, bearer('never-seen')),
          ask(SECRET, admin, proxy),
          ask('/readyz', {}),
        ]);
        expect(stranger).toMatchObject({ status: 503, retryAfter: '1' });
        expect(token.status).toBe(401);
        expect(master.status).toBe(404);
        expect(probe.status).toBe(200);
      } finally {
        await host.startApiserver();
      }
      await eventually('an answer', async () => (await ask(SECRET, bearer(VIEWER_TOKEN))).status === 403);
      expect((await ask(SECRET, { 'x-remote-user': 'never-seen' }, proxy)).status).toBe(403);
    });

    test('it counts its requests to the host, and shows no secrets', async () => {
      const { text } = await ask('/metrics', bearer(ADMIN_TOKEN));
      expect(text).toMatch(/^apiserver_delegated_authn_request_total\{code="201"\} [1-9]/m);
      expect(text).toMatch(/^apiserver_delegated_authz_request_total\{code="201"\} [1-9]/m);
      expect(text).toMatch(
        /^apiserver_delegated_authz_request_duration_seconds_bucket\{code="<error>",le="10"\} [1-9]/m,
      );
      for (const secret of [VIEWER_TOKEN, ADMIN_TOKEN]) {
        expect(text).not.toContain(secret);
        expect(aggregated.server.log()).not.toContain(secret);
      }
    });
  });
