/** The chart's ServiceAccount may write what the server does at its cluster, and nothing else. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { made } from '../fixtures/apiservice.js';
import { ours } from '../fixtures/backends.js';
import { client, type Client } from '../fixtures/client.js';
import { HOST_RELEASES, startHost, type HostCluster } from '../fixtures/hostcluster.js';
import { grant } from '../fixtures/hostidentity.js';
import { describeWith } from '../fixtures/program.js';
import { eventually } from '../fixtures/wait.js';

const GROUP = 'management.svc.example';
const apiGroup = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${apiGroup}/v1`;
const NAMESPACES = '/api/v1/namespaces';
const PROJECT = 'loft-p-shop';
const ADMIN = 'management-project-admin';
const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/management-apiserver';
const READY_MS = 20_000;
const { name: ACCOUNT, namespace: OURS, rights } = ours();

const within = (namespace: string, plural: string): string => `${RBAC}/namespaces/${namespace}/${plural}`;
const role = (name: string, apiGroups = [GROUP]): object => ({
  metadata: { name },
  rules: [{ apiGroups, resources: ['*'], verbs: ['get'] }],
});
/** To itself. */
const binding = (name: string, kind: string, bound: string): object => ({
  metadata: { name },
  roleRef: { apiGroup, kind, name: bound },
  subjects: [{ kind: 'ServiceAccount', namespace: OURS, name: ACCOUNT }],
});

const KEPT = 'management:projects:shop:members';
const OF_SECRET = 'management:sharedsecrets:a:owner';
const MEMBERS = `management:project-member:${ADMIN}`;

/** What the server makes, in an order in which it can be made. */
const NEEDED: readonly (readonly [collection: string, object: object, name: string])[] = [
  [NAMESPACES, { metadata: { name: PROJECT } }, PROJECT],
  [within(PROJECT, 'rolebindings'), binding(MEMBERS, 'ClusterRole', ADMIN), MEMBERS],
  [`${RBAC}/clusterroles`, role(KEPT), KEPT],
  [`${RBAC}/clusterrolebindings`, binding(KEPT, 'ClusterRole', KEPT), KEPT],
  [within('default', 'roles'), role(OF_SECRET), OF_SECRET],
  [within('default', 'rolebindings'), binding(OF_SECRET, 'Role', OF_SECRET), OF_SECRET],
  [
    `${RBAC}/clusterroles`,
    { metadata: { name: 'management:users:a:0' }, rules: null },
    'management:users:a:0',
  ],
];

const SELF = 'management:users:me:owner';
const REFUSED: readonly (readonly [what: string, method: string, path: string, body?: object])[] = [
  [
    'gives itself a role of projects everywhere',
    'POST',
    `${RBAC}/clusterrolebindings`,
    binding('all', 'ClusterRole', ADMIN),
  ],
  [
    'does so by a name of its own',
    'POST',
    `${RBAC}/clusterrolebindings`,
    binding(SELF, 'ClusterRole', ADMIN),
  ],
  [
    'does so by the name of members',
    'POST',
    `${RBAC}/clusterrolebindings`,
    binding(MEMBERS, 'ClusterRole', ADMIN),
  ],
  [
    'binds it in kube-system',
    'POST',
    within('kube-system', 'rolebindings'),
    binding(MEMBERS, 'ClusterRole', ADMIN),
  ],
  [
    'binds it there by a name of its own',
    'POST',
    within('kube-system', 'rolebindings'),
    binding(SELF, 'ClusterRole', ADMIN),
  ],
  [
    'binds its own role in a project',
    'POST',
    within(PROJECT, 'rolebindings'),
    binding('management:project-member:x', 'ClusterRole', ACCOUNT),
  ],
  ['makes a role of another name', 'POST', `${RBAC}/clusterroles`, role('mine')],
  ['makes a role for kinds of others', 'POST', `${RBAC}/clusterroles`, role(SELF, [''])],
  [
    'makes a role for kinds of its own and others',
    'POST',
    within('default', 'roles'),
    role(SELF, [GROUP, apiGroup]),
  ],
  ['changes the role admin', 'PATCH', `${RBAC}/clusterroles/admin`, { metadata: { labels: { a: 'b' } } }],
  ['deletes the role admin', 'DELETE', `${RBAC}/clusterroles/admin`],
  [
    'changes a role of projects',
    'PATCH',
    `${RBAC}/clusterroles/${ADMIN}`,
    { metadata: { labels: { a: 'b' } } },
  ],
  [
    'changes the binding cluster-admin',
    'PATCH',
    `${RBAC}/clusterrolebindings/cluster-admin`,
    { metadata: { labels: { a: 'b' } } },
  ],
  ['deletes the binding cluster-admin', 'DELETE', `${RBAC}/clusterrolebindings/cluster-admin`],
  ['deletes what the chart gives everyone', 'DELETE', `${RBAC}/clusterrolebindings/management:basic-user`],
  ['makes a namespace', 'POST', NAMESPACES, { metadata: { name: 'mine' } }],
  [
    'makes a namespace whose name the cluster ends',
    'POST',
    NAMESPACES,
    { metadata: { generateName: 'mine-' } },
  ],
  ['changes a namespace', 'PATCH', `${NAMESPACES}/default`, { metadata: { labels: { a: 'b' } } }],
  ['deletes a namespace', 'DELETE', `${NAMESPACES}/${OURS}`],
];

describeWith('etcd');
describeWith('helm');
for (const release of HOST_RELEASES) {
  describeWith(release.apiserver)(`the account of the chart, in Kubernetes ${release.release}`, () => {
    let host: HostCluster;
    let account: Client;
    const merge = { 'content-type': 'application/merge-patch+json' };
    const send = async (method: string, path: string, body?: object): Promise<[number, string]> => {
      const { status, text } = await account.send(method, path, body, method === 'PATCH' ? merge : {});
      return [status, text];
    };

    beforeAll(async () => {
      host = await startHost(release);
      await made(host.api, NAMESPACES, { metadata: { name: OURS } });
      await grant(host, rights());
      const accounts = `${NAMESPACES}/${OURS}/serviceaccounts`;
      await made(host.api, accounts, { metadata: { name: ACCOUNT } });
      const { status } = await made<{ status: { token: string } }>(host.api, `${accounts}/${ACCOUNT}/token`, {
        spec: { expirationSeconds: 3600 },
      });
      account = client(host, status.token);
      let last: unknown;
      await eventually(
        'the policy is in force',
        async () => {
          last = await send('POST', `${NAMESPACES}?dryRun=All`, { metadata: { name: 'mine' } });
          return (last as [number])[0] === 403;
        },
        READY_MS,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(last)}`);
      });
    });
    afterAll(() => host?.stop());

    test('the policy names no member that its kinds have not', async () => {
      interface Policy {
        readonly status?: { readonly observedGeneration?: number; readonly typeChecking?: object };
      }
      const { typeChecking } = await eventually(
        'the policy is checked',
        async () => {
          const { status } = JSON.parse((await host.api.send('GET', POLICY)).text) as Policy;
          return status?.observedGeneration === undefined ? undefined : status;
        },
        READY_MS,
      );
      expect(typeChecking ?? {}).toEqual({});
    });

    test('makes what the server does', async () => {
      for (const [collection, object] of NEEDED)
        expect(await send('POST', collection, object)).toEqual([201, expect.anything()]);
    });

    test.each(REFUSED)('is refused where it %s', async (...[, method, path, body]) => {
      const [status, text] = await send(method, path, body);
      // Kubernetes' own guard against escalation comes first where it sees one.
      expect([status, text]).toEqual([
        403,
        expect.stringMatching(/ValidatingAdmissionPolicy 'management-apiserver'|attempting to grant RBAC/),
      ]);
    });

    test('the administrator is not', async () => {
      const { status, text } = await host.api.send('POST', `${RBAC}/clusterroles`, role('mine'));
      expect([status, text]).toEqual([201, expect.anything()]);
    });

    test('changes and removes what it made', async () => {
      const metadata = {
        ownerReferences: [{ apiVersion: `${GROUP}/v1`, kind: 'Project', name: 'shop', uid: '1' }],
        finalizers: [`${GROUP}/kept`],
      };
      for (const [collection, , name] of [...NEEDED].reverse()) {
        const path = `${collection}/${name}`;
        expect(await send('PATCH', path, { metadata })).toEqual([200, expect.anything()]);
        expect(await send('DELETE', path)).toEqual([200, expect.anything()]);
        expect(await send('PATCH', path, { metadata: { finalizers: null } })).toEqual([
          200,
          expect.anything(),
        ]);
      }
    });
  });
}
