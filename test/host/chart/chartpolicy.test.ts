/** The chart's ServiceAccount may write only what the server writes in its cluster. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { grant } from '../../fixtures/host/hostidentity.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const apiGroup = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${apiGroup}/v1`;
const NAMESPACES = '/api/v1/namespaces';
const PROJECT = 'loft-p-shop';
const ADMIN = 'management-project-admin';
const VIEWER = 'management-project-viewer';
const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/management-apiserver';
const { name: ACCOUNT, namespace: OURS, rights } = ours();

const within = (namespace: string, plural: string): string => `${RBAC}/namespaces/${namespace}/${plural}`;
const role = (name: string, apiGroups = [GROUP]): object => ({
  metadata: { name },
  rules: [{ apiGroups, resources: ['*'], verbs: ['get'] }],
});
/** A RoleBinding or ClusterRoleBinding for the ServiceAccount itself. */
const binding = (name: string, kind: string, bound: string): object => ({
  metadata: { name },
  roleRef: { apiGroup, kind, name: bound },
  subjects: [{ kind: 'ServiceAccount', namespace: OURS, name: ACCOUNT }],
});

const UID = '01234567-89ab-4cde-8f01-23456789abcd';
const OF_SECRET = `management:sharedsecrets:a:${UID}:0`;
const MEMBERS = `management:project-member:${ADMIN}`;
const KEYS = `management:project-key:${ADMIN}`;

const OF_PROJECT = 'management.svc.example/project';
const LABELS = {
  [OF_PROJECT]: 'shop',
  'pod-security.kubernetes.io/enforce': 'baseline',
};
const annotations = { 'management.svc.example/project-uid': 'u' };

/** The objects that the server creates, in a valid order. */
const NEEDED: readonly (readonly [collection: string, object: object, name: string])[] = [
  [NAMESPACES, { metadata: { name: PROJECT, labels: LABELS, annotations } }, PROJECT],
  [within(PROJECT, 'rolebindings'), binding(MEMBERS, 'ClusterRole', ADMIN), MEMBERS],
  [within(PROJECT, 'rolebindings'), binding(KEYS, 'ClusterRole', ADMIN), KEYS],
  [within('default', 'roles'), role(OF_SECRET), OF_SECRET],
  [within('default', 'rolebindings'), binding(OF_SECRET, 'Role', OF_SECRET), OF_SECRET],
  [
    within('default', 'roles'),
    { metadata: { name: `management:sharedsecrets:b:${UID}:11` }, rules: null },
    `management:sharedsecrets:b:${UID}:11`,
  ],
];

const SELF = `management:sharedsecrets:me:${UID}:0`;
const IN_PROJECT = 'management:project-member:x';
const PATCH = { metadata: { labels: { a: 'b' } } };

/** The messages of the validations of the policy. */
const SPACES = 'the management API writes the namespaces of projects alone';
const NAMES = 'the management API writes the roles and bindings of its own objects alone';
const ROLES = 'the management API gives rights to its own kinds alone';
const LEVELS = 'the management API makes namespaces at the level baseline of Pod Security, and lowers none';
const LABELLED = 'the management API changes its own labels of namespaces alone';
const ANNOTATED = 'the management API changes its own annotations of namespaces alone';
const OWN_SECRETS = 'the management API writes its own Secrets alone';
const SERVICES = 'the management API changes the authority of its own APIService alone';
/** The namespace that an administrator created. */
const THEIRS = 'loft-p-theirs';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const API_SERVICE = `${API_SERVICES}/v1.management.svc.example`;
const SERVED = {
  group: GROUP,
  version: 'v1',
  groupPriorityMinimum: 1000,
  versionPriority: 15,
  service: { namespace: OURS, name: ACCOUNT, port: 443 },
};
const BINDINGS =
  'the management API binds the roles of its own objects, and those of projects in their namespaces, alone';

const SECRETS = `${NAMESPACES}/${OURS}/secrets`;
const SERVING = `${ACCOUNT}-serving`;
/** A Secret that Kubernetes fills with a token. */
const tokenSecret = (name: string): object => ({
  metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'default' } },
  type: 'kubernetes.io/service-account-token',
});

type Case = readonly [what: string, rule: string, method: string, path: string, body?: object];
const clusterRoles = `${RBAC}/clusterroles`;
const clusterBindings = `${RBAC}/clusterrolebindings`;
const REFUSED: readonly Case[] = [
  [
    'gives itself a role of projects everywhere',
    NAMES,
    'POST',
    clusterBindings,
    binding('all', 'ClusterRole', ADMIN),
  ],
  ['does so by a name of its own', NAMES, 'POST', clusterBindings, binding(SELF, 'ClusterRole', ADMIN)],
  ['makes a role of the whole cluster', NAMES, 'POST', clusterRoles, role(OF_SECRET)],
  [
    'makes a role without the uid of its object',
    NAMES,
    'POST',
    within('default', 'roles'),
    role('management:sharedsecrets:a:0'),
  ],
  ['does so by the name of members', NAMES, 'POST', clusterBindings, binding(MEMBERS, 'ClusterRole', ADMIN)],
  [
    'binds it in kube-system',
    NAMES,
    'POST',
    within('kube-system', 'rolebindings'),
    binding(MEMBERS, 'ClusterRole', ADMIN),
  ],
  [
    'binds it there by a name of its own',
    BINDINGS,
    'POST',
    within('kube-system', 'rolebindings'),
    binding(SELF, 'ClusterRole', ADMIN),
  ],
  [
    'binds its own role in a project',
    BINDINGS,
    'POST',
    within(PROJECT, 'rolebindings'),
    binding(IN_PROJECT, 'ClusterRole', ACCOUNT),
  ],
  [
    'binds a role of the namespace in a project',
    BINDINGS,
    'POST',
    within(PROJECT, 'rolebindings'),
    binding(IN_PROJECT, 'Role', ADMIN),
  ],
  ['makes a role of another name', NAMES, 'POST', clusterRoles, role('mine')],
  ['makes a role for kinds of others', ROLES, 'POST', within('default', 'roles'), role(SELF, [''])],
  [
    'makes a role for kinds of its own and others',
    ROLES,
    'POST',
    within('default', 'roles'),
    role(SELF, [GROUP, apiGroup]),
  ],
  [
    'makes a role for paths',
    NAMES,
    'POST',
    clusterRoles,
    { metadata: { name: SELF }, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
  ],
  [
    'makes a role of what others have',
    NAMES,
    'POST',
    clusterRoles,
    { metadata: { name: SELF }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
  ],
  ['changes the role admin', NAMES, 'PATCH', `${clusterRoles}/admin`, PATCH],
  ['deletes the role admin', NAMES, 'DELETE', `${clusterRoles}/admin`],
  ['changes a role of projects', NAMES, 'PATCH', `${clusterRoles}/${ADMIN}`, PATCH],
  ['changes the binding cluster-admin', NAMES, 'PATCH', `${clusterBindings}/cluster-admin`, PATCH],
  ['deletes the binding cluster-admin', NAMES, 'DELETE', `${clusterBindings}/cluster-admin`],
  ['deletes what the chart gives everyone', NAMES, 'DELETE', `${clusterBindings}/management:basic-user`],
  ['makes a namespace', SPACES, 'POST', NAMESPACES, { metadata: { name: 'mine' } }],
  [
    'makes a namespace whose name the cluster ends',
    SPACES,
    'POST',
    NAMESPACES,
    { metadata: { generateName: 'mine-' } },
  ],
  ['changes a namespace', SPACES, 'PATCH', `${NAMESPACES}/default`, PATCH],
  ['deletes a namespace', SPACES, 'DELETE', `${NAMESPACES}/${OURS}`],
  ['makes a namespace by the prefix alone', SPACES, 'POST', NAMESPACES, { metadata: { name: 'loft-p-x' } }],
  [
    'makes a namespace of a project by another name',
    SPACES,
    'POST',
    NAMESPACES,
    { metadata: { name: 'mine', labels: LABELS, annotations } },
  ],
  ...['privileged', undefined].map((level): Case => [
    `makes a namespace at the level ${level}`,
    LEVELS,
    'POST',
    NAMESPACES,
    {
      metadata: {
        name: 'loft-p-low',
        annotations,
        labels: {
          'management.svc.example/project': 'low',
          ...(level !== undefined && { 'pod-security.kubernetes.io/enforce': level }),
        },
      },
    },
  ]),
  [
    'labels a namespace for policies of others',
    LABELLED,
    'PATCH',
    `${NAMESPACES}/${PROJECT}`,
    { metadata: { labels: { 'admission.example.com/ignore': 'true' } } },
  ],
  [
    'makes one that has such a label',
    LABELLED,
    'POST',
    NAMESPACES,
    {
      metadata: { name: 'loft-p-cash', labels: { ...LABELS, [OF_PROJECT]: 'cash', team: 'a' }, annotations },
    },
  ],
  [
    'chooses the nodes of a namespace',
    ANNOTATED,
    'PATCH',
    `${NAMESPACES}/${PROJECT}`,
    { metadata: { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': 'control-plane=' } } },
  ],
  ['makes a Secret', OWN_SECRETS, 'POST', SECRETS, { metadata: { name: 'mine' } }],
  ['makes a token of another account', OWN_SECRETS, 'POST', SECRETS, tokenSecret('mine')],
  ['makes one by the name of its own Secret', OWN_SECRETS, 'POST', SECRETS, tokenSecret(SERVING)],
  ['deletes a namespace that has the prefix alone', SPACES, 'DELETE', `${NAMESPACES}/${THEIRS}`],
  [
    'makes a namespace of others one of a project',
    SPACES,
    'PATCH',
    `${NAMESPACES}/${THEIRS}`,
    { metadata: { labels: { 'management.svc.example/project': 'theirs' }, annotations } },
  ],
  [
    'binds it in a namespace that has the prefix alone',
    NAMES,
    'POST',
    within(THEIRS, 'rolebindings'),
    binding(MEMBERS, 'ClusterRole', ADMIN),
  ],
  [
    'points its APIService elsewhere',
    SERVICES,
    'PATCH',
    API_SERVICE,
    { spec: { service: { name: 'mine' } } },
  ],
  [
    'serves without TLS that is checked',
    SERVICES,
    'PATCH',
    API_SERVICE,
    { spec: { insecureSkipTLSVerify: true, caBundle: null } },
  ],
  ['puts its APIService before others', SERVICES, 'PATCH', API_SERVICE, { spec: { versionPriority: 99 } }],
  ['deletes its APIService', SERVICES, 'DELETE', API_SERVICE],
  [
    'registers another',
    SERVICES,
    'POST',
    API_SERVICES,
    { metadata: { name: 'v1.x.example' }, spec: { ...SERVED, group: 'x.example' } },
  ],
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
      host = await plainHost(release);
      for (const name of [OURS, THEIRS]) await made(host.api, NAMESPACES, { metadata: { name } });
      await made(host.api, API_SERVICES, { metadata: { name: `v1.${GROUP}` }, spec: SERVED });
      await grant(host, rights());
      const accounts = `${NAMESPACES}/${OURS}/serviceaccounts`;
      await made(host.api, accounts, { metadata: { name: ACCOUNT } });
      const { status } = await made<{ status: { token: string } }>(host.api, `${accounts}/${ACCOUNT}/token`, {
        spec: { expirationSeconds: 3600 },
      });
      account = client(host, status.token);
      let last: unknown;
      await eventually('the policy is in force', async () => {
        last = await send('POST', `${NAMESPACES}?dryRun=All`, { metadata: { name: 'mine' } });
        return (last as [number])[0] === 403;
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(last)}`);
      });
    });
    afterAll(() => host?.stop());

    test('the policy names no member that its kinds have not', async () => {
      interface Policy {
        readonly status?: { readonly observedGeneration?: number; readonly typeChecking?: object };
      }
      const { typeChecking } = await eventually('the policy is checked', async () => {
        const { status } = JSON.parse((await host.api.send('GET', POLICY)).text) as Policy;
        return status?.observedGeneration === undefined ? undefined : status;
      });
      expect(typeChecking ?? {}).toEqual({});
    });

    test('may make what the server makes', async () => {
      for (const [collection, object] of NEEDED)
        expect(await send('POST', collection, object)).toEqual([201, expect.anything()]);
      // A role that nobody may bind.
      await made(host.api, within(PROJECT, 'roles'), role(ADMIN));
    });

    test.each(REFUSED)('is refused where it %s', async (...[, , method, path, body]) => {
      const [status, text] = await send(method, path, body);
      // The escalation check of Kubernetes comes first, if it applies.
      expect([status, text]).toEqual([
        403,
        expect.stringMatching(
          /ValidatingAdmissionPolicy 'management-apiserver'|attempting to grant RBAC|must have cluster-admin privileges|cannot (patch|delete|create) resource ..(apiservices|clusterroles|clusterrolebindings)/,
        ),
      ]);
    });

    test('gives its APIService another authority', async () => {
      const before = (await host.api.send('GET', API_SERVICE)).text;
      const authority = readFileSync(host.certificates.caFile).toString('base64');
      const next = JSON.parse(before) as { spec: object };
      const body = { ...next, spec: { ...next.spec, caBundle: authority } };
      expect(await send('PUT', API_SERVICE, body)).toEqual([200, expect.anything()]);
    });

    test('makes its own Secret', async () => {
      expect(await send('POST', SECRETS, { metadata: { name: SERVING } })).toEqual([201, expect.anything()]);
    });

    test('the administrator is not', async () => {
      const { status, text } = await host.api.send('POST', `${RBAC}/clusterroles`, role('mine'));
      expect([status, text]).toEqual([201, expect.anything()]);
    });

    describe('with all rights', () => {
      beforeAll(async () => {
        await made(host.api, clusterBindings, binding('everything', 'ClusterRole', 'cluster-admin'));
        await eventually('its rights', async () => (await may()) === 200);
      });
      afterAll(async () => {
        expect((await host.api.send('DELETE', `${clusterBindings}/everything`)).status).toBe(200);
        await eventually('the end of its rights', async () => (await may()) === 403);
      });
      const may = async (): Promise<number> => (await send('GET', '/metrics'))[0];

      test.each(REFUSED)('is refused by the policy where it %s', async (...[, rule, method, path, body]) => {
        const [status, text] = await send(method, path, body);
        const { message } = JSON.parse(text) as { message: string };
        const [by, said] = message.split(' denied request: ');
        expect([status, said]).toEqual([403, rule]);
        expect(by).toContain("ValidatingAdmissionPolicy 'management-apiserver'");
      });
    });

    test('keeps users from binding a role of the chart whose rights they lack', async () => {
      const collection = within('default', 'rolebindings');
      const subjects = [{ kind: 'User', apiGroup, name: 'clerk' }];
      const views = (name: string): object => ({ ...binding(name, 'ClusterRole', VIEWER), subjects });
      const bind = async (name: string): Promise<[number, string]> => {
        const { status, text } = await host.api.send('POST', collection, views(name), {
          'impersonate-user': 'clerk',
          'impersonate-group': 'system:authenticated',
        });
        return [status, text];
      };
      const rules = [
        { apiGroups: [apiGroup], resources: ['rolebindings'], verbs: ['create'] },
        { apiGroups: [''], resources: ['configmaps', 'events'], verbs: ['get', 'list', 'watch'] },
      ];
      await made(host.api, within('default', 'roles'), { metadata: { name: 'clerk' }, rules });
      await made(host.api, collection, { ...binding('clerk', 'Role', 'clerk'), subjects });
      await eventually('its refusal for what it lacks', async () => {
        const [status, text] = await bind('mine');
        return status === 403 && text.includes('attempting to grant RBAC permissions not currently held');
      });
      await made(host.api, collection, views('views'));
      await eventually('what it holds', async () => (await bind('more'))[0] === 201);
    });

    test('changes and removes its own objects', async () => {
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
