/**
 * A binding that a kubeconfig of a virtual cluster created inside it does not outlive the right to use the instance,
 * whichever way the right ends, and whichever way the user had got it.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { x509Package } from '../../../pkg/pki/x509package.js';
import { client } from '../../fixtures/clients/client.js';
import { impersonating, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import {
  startStubVirtualCluster,
  userOfBinding,
  type StubVirtualCluster,
} from '../../fixtures/stubs/stubvirtualcluster.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = 'rbac.authorization.k8s.io';
const PROJECT = 'loft-p-web';
const ROLES = `/apis/${RBAC}/v1/namespaces/${PROJECT}`;
const INSTANCES = `${API}/namespaces/${PROJECT}/virtualclusterinstances`;
/** Revokes the right. The instance, the user, the group and the Role have the same name. */
type Taking = (admin: Actor, name: string) => Promise<unknown>;

const send = async (by: Actor, ...what: Parameters<Actor['send']>): Promise<Reply> => {
  const answer = await by.send(...what);
  if (answer.status >= 300) throw new Error(`${what[0]} ${what[1]}: ${JSON.stringify(answer)}`);
  return answer;
};

const until = (what: string, is: () => boolean): Promise<unknown> =>
  eventually(what, () => Promise.resolve(is()));

const WAYS: Readonly<Record<string, Taking>> = {
  'a RoleBinding goes': (admin, name) => send(admin, 'DELETE', `${ROLES}/rolebindings/${name}`),
  'a Role loses use alone': (admin, name) =>
    send(admin, 'PATCH', `${ROLES}/roles/${name}`, { rules: rulesOf(name, ['get']) }),
  'the user is disabled': (admin, name) =>
    send(admin, 'PATCH', `${API}/users/${name}`, { spec: { disabled: true } }),
  'the user goes': (admin, name) => send(admin, 'DELETE', `${API}/users/${name}`),
  'the user goes, and another of the name comes': async (admin, name) => {
    await send(admin, 'DELETE', `${API}/users/${name}`);
    await send(admin, 'POST', `${API}/users`, { metadata: { name } });
  },
  'the instance goes': (admin, name) => send(admin, 'DELETE', `${INSTANCES}/${name}`),
  'the ingress is turned off, and the right goes': async (admin, name) => {
    const accessPoint = { ingress: { enabled: false } };
    await send(admin, 'PATCH', `${INSTANCES}/${name}`, { spec: { accessPoint } });
    await send(admin, 'DELETE', `${ROLES}/rolebindings/${name}`);
  },
};

const rulesOf = (name: string, verbs: string[]): object[] => [
  { apiGroups: [GROUP], resources: ['virtualclusterinstances'], verbs, resourceNames: [name] },
  { apiGroups: [GROUP], resources: ['virtualclusterinstances/kubeconfig'], verbs: ['get', 'create'] },
];

describe('bindings in virtual clusters', () => {
  let on: EngineServer;
  let admin: Actor;
  let inner: StubVirtualCluster;

  beforeAll(async () => {
    [inner, on] = await Promise.all([startStubVirtualCluster(), startEmbedded({ controllers: '*' })]);
    admin = impersonating(on.server);
    await send(admin, 'POST', '/api/v1/namespaces', { metadata: { name: 'vcs' } });
    await secret('management-system', 'self', readFileSync(on.server.kubeconfig, 'utf8'));
    const spec = { config: { secretName: 'self' } };
    await send(admin, 'POST', `${API}/clusters`, { metadata: { name: 'self' }, spec });
    const allowed = { allowedClusters: [{ name: '*' }] };
    await send(admin, 'POST', `${API}/projects`, { metadata: { name: 'web' }, spec: allowed });
  });
  afterAll(async () => {
    await on?.remove();
    await inner?.stub.stop();
  });

  const secret = (namespace: string, name: string, text: string): Promise<Reply> =>
    send(admin, 'POST', `/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name },
      data: { config: Buffer.from(text).toString('base64') },
    });

  /** Creates an instance, and a user who may use it. */
  async function made(name: string): Promise<Actor> {
    await secret('vcs', `vc-${name}`, inner.kubeconfig);
    await send(admin, 'POST', INSTANCES, {
      metadata: { name },
      spec: {
        accessPoint: { ingress: { enabled: true } },
        clusterRef: { cluster: 'self', namespace: 'vcs', virtualCluster: name },
      },
    });
    const host = new URL(inner.stub.url).host;
    const status = { virtualCluster: { accessPoint: { ingress: { host } } } };
    await send(admin, 'PATCH', `${INSTANCES}/${name}/status`, { status });
    await send(admin, 'POST', `${API}/users`, { metadata: { name } });
    await send(admin, 'POST', `${ROLES}/roles`, {
      metadata: { name },
      rules: rulesOf(name, ['get', 'use']),
    });
    await bound(name);
    return impersonating(on.server, name);
  }
  const bound = (name: string): Promise<Reply> =>
    send(admin, 'POST', `${ROLES}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name }],
    });
  const kubeconfig = (by: Actor, name: string, method = 'GET'): Promise<Reply> =>
    by.send(method, `${INSTANCES}/${name}/kubeconfig`, method === 'GET' ? undefined : {});
  /**
   * The requests that the cluster got, without those of the controller that fills Secrets, which may start at any
   * time.
   */
  const asked = (): string[] => inner.stub.asked.filter((one) => !one.startsWith('GET /api/v1/secrets?'));
  const users = (): string[] => [...inner.bound.keys()].map(userOfBinding);
  const gone = (name: string): Promise<unknown> =>
    until(`the binding of ${name} is gone`, () => !users().includes(`management:user:${name}`));

  test.each(Object.keys(WAYS))('%s: the binding goes within seconds', async (way) => {
    const name = `u${Object.keys(WAYS).indexOf(way)}`;
    const by = await made(name);
    expect((await kubeconfig(by, name)).status).toBe(200);
    expect((await kubeconfig(by, name, 'POST')).status).toBe(201);
    expect(users()).toContain(`management:user:${name}`);
    await (WAYS[way] as Taking)(admin, name);
    await gone(name);
  });

  test('users who still have the right keep their binding, and those who get it back are bound again', async () => {
    const [kept, again] = [await made('kept'), await made('again')];
    await kubeconfig(kept, 'kept');
    await kubeconfig(again, 'again');
    await send(admin, 'DELETE', `${ROLES}/rolebindings/again`);
    await gone('again');
    expect((await kubeconfig(again, 'again')).status).toBe(403);
    await bound('again');
    expect((await kubeconfig(again, 'again')).status).toBe(200);
    expect(users()).toEqual(expect.arrayContaining(['management:user:kept', 'management:user:again']));
  });

  test('a certificate gives nothing to another user of the name', async () => {
    const by = await made('heir');
    const groupsOf = async (): Promise<string[]> => {
      const before = inner.certificateRequests.length;
      expect((await kubeconfig(by, 'heir')).status).toBe(200);
      const [request = ''] = inner.certificateRequests.slice(before);
      return new (x509Package().Pkcs10CertificateRequest)(request).subjectName.getField('O');
    };
    const bindingOf = (): (string | undefined)[] =>
      [...inner.bound].flatMap(([name, subject]) =>
        userOfBinding(name) === 'management:user:heir' ? [subject] : [],
      );
    const first = await groupsOf();
    expect(bindingOf()).toEqual(first);
    await send(admin, 'DELETE', `${API}/users/heir`);
    await gone('heir');
    await send(admin, 'POST', `${API}/users`, { metadata: { name: 'heir' } });
    const second = await groupsOf();
    expect(bindingOf()).toEqual(second);
    expect(second).not.toEqual(first);
  });

  test('a user whom the owner of the virtual cluster restricts is not its administrator by another key', async () => {
    const by = await made('clerk');
    const roles = (): string[] =>
      [...inner.bound.keys()]
        .filter((name) => userOfBinding(name) === 'management:user:clerk')
        .map((name) => inner.roles.get(name) ?? '')
        .sort();
    expect((await kubeconfig(by, 'clerk')).status).toBe(200);
    expect(roles()).toEqual(['cluster-admin']);
    inner.roles.set('management:user:clerk', 'view');
    const key = 'a-key-of-the-clerk-that-is-long-enough';
    const spec = { user: 'clerk', key };
    await send(admin, 'POST', `${API}/ownedaccesskeys`, { metadata: { name: 'clerks' }, spec });
    const byKey = await client(on.server, key).send('GET', `${INSTANCES}/clerk/kubeconfig`);
    expect(byKey.status).toBe(200);
    expect(roles()).toEqual(['cluster-admin', 'view']);
    // And when the key gets another value, what was bound by it goes.
    await send(admin, 'PATCH', `${API}/ownedaccesskeys/clerks`, { spec: { key: `${key}-2` } });
    await until('the binding of the key is gone', () => !roles().includes('view'));
    expect(roles()).toEqual(['cluster-admin']);
  });

  test('a dry run signs and binds nothing', async () => {
    const by = await made('dry');
    const before = asked().length;
    const answer = await by.send('POST', `${INSTANCES}/dry/kubeconfig?dryRun=All`, {});
    expect([answer.status, JSON.stringify(answer.body).includes('kubeConfig')]).toEqual([201, false]);
    const since = asked().slice(before);
    // Bindings of tests before this one may still be deleted.
    const isOther = /^DELETE \S+\/clusterrolebindings\/management%3Auser%3A(?!dry(?:%3A|$))/;
    expect(since.filter((one) => !isOther.test(one))).toEqual([]);
  });

  test('reports an invalid certificate as such', async () => {
    const by = await made('odd');
    for (const certificate of [5, {}, [], 'x', '', '!', Buffer.from('{}').toString('base64')]) {
      inner.certificate = certificate;
      expect([certificate, (await kubeconfig(by, 'odd')).status]).toEqual([certificate, 504]);
    }
    delete inner.certificate;
    expect((await kubeconfig(by, 'odd')).status).toBe(200);
  });

  test('a right that ends while the kubeconfig is made gives none, and leaves nothing bound', async () => {
    const by = await made('slow');
    inner.bindsAfterMs = 1_500;
    try {
      const before = asked().length;
      const answer = kubeconfig(by, 'slow');
      await until('it is being bound', () => asked().length > before);
      await send(admin, 'DELETE', `${ROLES}/rolebindings/slow`);
      expect((await answer).status).toBe(403);
    } finally {
      inner.bindsAfterMs = 0;
    }
    await until('it was bound', () =>
      [...inner.everBound].map(userOfBinding).includes('management:user:slow'),
    );
    await until('nothing is bound', () => !users().includes('management:user:slow'));
  });

  test('a right that ends while the cluster is unreachable is revoked when it is reachable, also after a restart', async () => {
    const by = await made('away');
    await kubeconfig(by, 'away');
    inner.answers = false;
    await send(admin, 'DELETE', `${ROLES}/rolebindings/away`);
    await on.server.restart();
    expect(users()).toContain('management:user:away');
    inner.answers = true;
    await until('gone', () => !users().includes('management:user:away'));
  });
});
