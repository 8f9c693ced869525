/** The Helm chart without a cluster: what it renders, and that it says the same as the code. */
import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ResourceDefinition } from '../../api/resource.js';
import { PROXY_GRANT } from '../../pkg/management/sharing/managednames.js';
import { PROJECT_MEMBER_ROLES } from '../../pkg/management/projects/clusterroles.js';
import { alertRules } from '../fixtures/host/alertrules.js';
import {
  AGENT_CHART,
  CHART,
  podSpecs,
  render,
  renderText,
  VALUE_SETS,
  valuePaths,
  type ChartObject,
} from '../fixtures/host/chart.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { describeWith, execute } from '../fixtures/program.js';

const byKind = (objects: readonly ChartObject[], kind: string, name?: string): ChartObject[] =>
  objects.filter((each) => each.kind === kind && (name === undefined || each.metadata.name === name));

const GROUP = 'management.svc.example';
/** Served by nobody: who lacks what is said of it cannot bind the role. */
const GUARDED = `rights.${GROUP}`;

/** What both sides agree on, whatever the order of lists. */
const sorted = (rules: readonly object[] | undefined): unknown =>
  (rules ?? []).map((rule) =>
    Object.fromEntries(Object.entries(rule).map(([key, value]) => [key, [...(value as string[])].sort()])),
  );

/** Kinds of the group that are kept, by the file of each. */
async function listedKinds(): Promise<string[]> {
  const folder = new URL('../../api/management.svc.example/v1/', import.meta.url);
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = all.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const modules: unknown[][] = [];
  for (const name of files) modules.push(Object.values((await import(new URL(name, folder).href)) as object));
  return modules
    .flat()
    .filter(
      (value): value is ResourceDefinition => typeof value === 'object' && 'plural' in (value as object),
    )
    .filter(({ verbs }) => verbs === undefined || verbs.includes('list'))
    .map(({ plural }) => plural)
    .sort();
}

const REVOCATIONS = 'directclusterendpointtokenrevocations';

describeWith('helm')('the chart', () => {
  test.each([CHART, AGENT_CHART])(
    '%s passes the strict lint with its own values, without a remark',
    (chart) => {
      const { code, out, err } = execute(findProgram('helm') as string, ['lint', '--strict', chart]);
      expect({ code, out, err }).toMatchObject({
        code: 0,
        out: expect.not.stringMatching(/\[(INFO|WARNING)\]/),
      });
    },
  );

  test.each([CHART, AGENT_CHART])('%s says what it is', (chart) => {
    const { home, sources, icon } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Record<
      string,
      string
    >;
    const svg = readFileSync(new URL('../../cmd/console/icon.svg', import.meta.url), 'utf8').trim();
    expect({ sources, icon }).toEqual({
      sources: [home],
      icon: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
    });
    expect(readFileSync(join(chart, 'README.md'), 'utf8')).toContain('helm install');
  });

  test('gives projects the roles that a standalone server gives them', () => {
    const roles = byKind(render([]), 'ClusterRole');
    for (const { name, rules } of PROJECT_MEMBER_ROLES) {
      const found = roles.find(({ metadata }) => metadata.name === name);
      const guarded = rules?.map((rule) =>
        rule.apiGroups?.[0] === GROUP ? { ...rule, apiGroups: [GROUP, GUARDED] } : rule,
      );
      expect([name, sorted(found?.rules)]).toEqual([name, sorted(guarded)]);
    }
  });

  // Agents take an empty list as that no token was revoked: without the right to get them all they must be refused.
  test('lets everyone list and watch exactly the kinds whose lists show what the caller may get, but no revocations', async () => {
    const [role] = byKind(render([]), 'ClusterRole', 'management:basic-user');
    const lists = role?.rules?.[0] as { resources: string[]; verbs: string[] };
    const kinds = await listedKinds();
    expect(kinds.length).toBeGreaterThan(5);
    expect(kinds).toContain(REVOCATIONS);
    expect(lists.resources).toEqual(kinds.filter((kind) => kind !== REVOCATIONS));
    expect(lists.verbs).toEqual(['list', 'watch']);
  });

  test('lets the servers bind the three roles of projects, and escalate nothing', () => {
    const rules = render([])
      .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
      .filter(({ metadata }) => !metadata.name.startsWith('management-project-'))
      .flatMap((role) => role.rules ?? []) as {
      verbs: string[];
      resourceNames?: string[];
      apiGroups: string[];
    }[];
    expect(rules.filter(({ verbs }) => verbs.includes('escalate') || verbs.includes('impersonate'))).toEqual(
      [],
    );
    expect(rules.filter(({ verbs }) => verbs.includes('bind')).map((rule) => rule.resourceNames)).toEqual([
      PROJECT_MEMBER_ROLES.map(({ name }) => name),
    ]);
    const wide = rules.filter(({ verbs, apiGroups }) => verbs.includes('*') || apiGroups.includes('*'));
    // Of the servers alone.
    expect(wide.map(({ apiGroups }) => apiGroups)).toEqual([['management.svc.example']]);
  });

  test('lets the servers write no role of the whole cluster', () => {
    const [role] = byKind(render([]), 'ClusterRole', 'release-management-apiserver');
    const written = (role?.rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[]).filter(
      ({ apiGroups, verbs }) => apiGroups.includes('rbac.authorization.k8s.io') && verbs.includes('create'),
    );
    expect(written.map(({ resources }) => resources)).toEqual([['roles', 'rolebindings']]);
  });

  test('lets everybody who is authenticated ask for each kind, and keeps others from roles for them', async () => {
    const objects = render([]);
    const [role] = byKind(objects, 'ClusterRole', PROXY_GRANT);
    const [rule] = role?.rules as [{ apiGroups: string[]; resources: string[]; verbs: string[] }];
    expect(rule.apiGroups).toEqual([GROUP]);
    expect(rule.resources).toEqual(expect.arrayContaining(await listedKinds()));
    expect(rule.verbs).toEqual(
      expect.arrayContaining(['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']),
    );
    expect(byKind(objects, 'ClusterRoleBinding', PROXY_GRANT)).toMatchObject([
      {
        roleRef: { kind: 'ClusterRole', name: PROXY_GRANT },
        subjects: [{ kind: 'Group', name: 'system:authenticated' }],
      },
    ]);
    const policies = byKind(objects, 'ValidatingAdmissionPolicy', 'release-management-apiserver-grants');
    expect(policies).toHaveLength(1);
  });

  interface SecretRule {
    readonly role: string;
    readonly kind: string;
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }
  const ofSecrets = (values: readonly string[]): SecretRule[] =>
    render(values)
      .filter(({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && metadata.name.startsWith('release'))
      .flatMap(({ kind, metadata, rules = [] }) =>
        rules.map((rule) => ({ ...(rule as SecretRule), kind, role: metadata.name })),
      )
      .filter(({ resources }) => resources.includes('secrets'));

  test('lets the servers read no Secret but their own', () => {
    const rules = ofSecrets([]);
    expect(rules.every(({ kind }) => kind === 'Role')).toBe(true);
    const unnamed = rules.filter(({ resourceNames }) => resourceNames === undefined);
    expect(unnamed.flatMap(({ verbs }) => verbs)).toEqual(['create']);
  });

  const name = 'release-management-apiserver';
  const keys = [
    [name, 'create', undefined],
    [name, 'update', [`${name}-encryption`]],
  ];

  test('keeps the roles of members of projects when the release goes, as their namespaces stay', () => {
    const kept = byKind(render([]), 'ClusterRole').filter(
      ({ metadata: { annotations } }) => annotations?.['helm.sh/resource-policy'] === 'keep',
    );
    expect(kept.map(({ metadata }) => metadata.name).sort()).toEqual(
      PROJECT_MEMBER_ROLES.map(({ name: role }) => role).sort(),
    );
  });

  test('keeps the keys of the store when the release goes, and makes none where there is another Secret', () => {
    const secrets = (values: readonly string[]) =>
      render(values).filter(
        ({ kind, metadata }) => kind === 'Secret' && /encryption|keys/.test(metadata.name),
      );
    expect(secrets([]).map(({ metadata }) => metadata.annotations)).toEqual([
      { 'helm.sh/resource-policy': 'keep' },
    ]);
    expect(secrets(['encryption.secretName=keys'])).toEqual([]);
  });

  test.each([
    [
      'certificates of the servers and etcd',
      [],
      [
        [`${name}-etcd`, 'update', [`${name}-etcd-tls`]],
        [name, 'create', undefined],
        [name, 'update', [`${name}-serving`]],
        keys[1],
      ],
    ],
    [
      'certificates of etcd alone',
      ['certificates.source=certManager'],
      [[`${name}-etcd`, 'update', [`${name}-etcd-tls`]], ...keys],
    ],
    ['certificates of neither', ['certificates.source=certManager', 'etcd.tls=false'], keys],
    [
      'keys in a Secret of another name',
      ['certificates.source=certManager', 'etcd.tls=false', 'encryption.secretName=keys'],
      [keys[0], [name, 'update', ['keys']]],
    ],
  ])('lets Secrets be written by the components that fill them: %s', (_what, values, expected) => {
    const writes = ofSecrets(values).flatMap(({ role, verbs, resourceNames }) =>
      verbs
        .filter((verb) => !['get', 'list', 'watch'].includes(verb))
        .map((verb) => [role, verb, resourceNames]),
    );
    expect(writes).toEqual(expected);
  });

  test.each([
    ['the servers', [], { secret: { name: `${name}-serving`, key: 'ca.crt' } }],
    [
      'cert-manager',
      ['certificates.source=certManager'],
      { secret: { name: `${name}-serving`, key: 'ca.crt' } },
    ],
    [
      'you',
      VALUE_SETS['certificates of your own'] ?? [],
      { configMap: { name: `${name}-authority`, key: 'ca.crt' } },
    ],
  ])('lets Prometheus trust the authority, with certificates from %s', (_who, values, ca) => {
    const objects = render(['metrics.serviceMonitor.enabled=true', ...values]);
    const [monitor] = byKind(objects, 'ServiceMonitor');
    expect(monitor?.spec).toMatchObject({ endpoints: [{ tlsConfig: { ca } }] });
    const given = byKind(objects, 'ConfigMap', `${name}-authority`).map(({ data }) => data);
    expect(given).toEqual('configMap' in ca ? [{ 'ca.crt': '-----BEGIN' }] : []);
  });

  test.each([
    ['server', 'Deployment', [], 'DoNotSchedule', ['pod-template-hash']],
    ['etcd', 'StatefulSet', [], 'ScheduleAnyway', undefined],
    ['server', 'Deployment', ['server.nodeSpread=ScheduleAnyway'], 'ScheduleAnyway', ['pod-template-hash']],
    ['etcd', 'StatefulSet', ['etcd.nodeSpread=DoNotSchedule'], 'DoNotSchedule', undefined],
  ])('spreads Pods of %s over nodes and zones: %s %j', (part, kind, values, onNodes, matchLabelKeys) => {
    const [pod] = byKind(render(values), kind).flatMap(podSpecs);
    const over = (topologyKey: string, whenUnsatisfiable: string): object => ({
      topologyKey,
      whenUnsatisfiable,
      maxSkew: 1,
      nodeTaintsPolicy: 'Honor',
      matchLabelKeys,
      labelSelector: {
        matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': part }) as object,
      },
    });
    expect(pod?.topologySpreadConstraints).toEqual([
      over('kubernetes.io/hostname', onNodes),
      over('topology.kubernetes.io/zone', 'ScheduleAnyway'),
    ]);
  });

  const policy = ['audit.policy.rules[0].level=None'];
  const given = ['audit.policyConfigMap=ours', 'audit.log=none', 'audit.mode=blocking-strict'];
  test.each([
    ['no policy', [], ['--audit-log-path=-'], []],
    [
      'a policy and a file',
      [...policy, 'audit.log=file'],
      [
        '--audit-log-path=/var/log/management-apiserver/$(POD_NAME).log',
        '--audit-policy-file=/etc/management-apiserver/audit/policy.yaml',
      ],
      [`${name}-audit-policy`],
    ],
    [
      'a ConfigMap of yours',
      given,
      [
        '--audit-log-path=none',
        '--audit-policy-file=/etc/management-apiserver/audit/policy.yaml',
        '--audit-log-mode=blocking-strict',
      ],
      ['ours'],
    ],
  ])('audits by %s', (_what, values, flags, maps) => {
    const [pod] = byKind(render(values), 'Deployment').flatMap(podSpecs);
    const args = pod?.containers[0]?.args ?? [];
    expect(args.filter((arg) => arg.startsWith('--audit-'))).toEqual(flags);
    const volumes = (pod?.volumes ?? []) as readonly { readonly configMap?: { readonly name: string } }[];
    expect(volumes.flatMap(({ configMap }) => configMap?.name ?? [])).toEqual(maps);
  });

  test('mounts the Secret of a login beside its flag, and neither without one', () => {
    const [login] = byKind(render(['login.secretName=ours']), 'Deployment').flatMap(podSpecs);
    const folder = '/etc/management-apiserver/login';
    expect(login?.containers[0]?.args).toContain(`--login-config=${folder}/login.yaml`);
    expect(login?.containers[0]?.volumeMounts).toContainEqual({
      name: 'login',
      mountPath: folder,
      readOnly: true,
    });
    expect(login?.volumes?.find(({ name }) => name === 'login')).toMatchObject({
      secret: { secretName: 'ours' },
    });
    expect(JSON.stringify(byKind(render([]), 'Deployment'))).not.toContain('login');
  });

  test('restarts the servers when the audit policy changes', () => {
    const noted = (level: string): unknown =>
      byKind(render([`audit.policy.rules[0].level=${level}`]), 'Deployment').map(({ spec }) => {
        const { template } = spec as { template: { metadata: { annotations?: object } } };
        return template.metadata.annotations;
      });
    expect(noted('None')).toEqual(noted('None'));
    expect(noted('None')).not.toEqual(noted('Request'));
  });

  const WEEK = 604_800;
  test.each([
    ['the usual life', [], WEEK],
    ['three weeks', ['certificates.certificateLife=504h'], WEEK / 2],
    ['an hour and a half', ['certificates.certificateLife=1h30m0s'], 900],
    ['cert-manager', ['certificates.source=certManager'], WEEK],
    [
      'cert-manager, three days before its end',
      ['certificates.source=certManager', 'certificates.certManager.renewBefore=72h'],
      36 * 3600,
    ],
    ['a certificate of yours', VALUE_SETS['certificates of your own'] ?? [], WEEK],
  ])('alerts of a certificate only when its renewal is late: %s', (_what, values, seconds) => {
    const rule = alertRules(values).find(({ alert }) => alert === 'ManagementServingCertificateEnds');
    expect(Number(/ < (\d+)$/.exec(rule?.expr ?? '')?.[1])).toBe(seconds);
  });

  test('backs etcd up where that is asked for, and tells of a backup that is late', () => {
    expect(byKind(render([]), 'CronJob')).toEqual([]);
    const values = ['backup.enabled=true', 'backup.claimName=backups', 'backup.retain=3'];
    const [job] = byKind(render(values), 'CronJob');
    const [container] = (job && podSpecs(job)[0]?.containers) ?? [];
    expect(container?.args).toEqual(expect.arrayContaining(['backup', 'create', '/backup/', '--retain=3']));
    expect(container?.args?.filter((arg) => arg.startsWith('--etcd-'))).toHaveLength(5);
    const named = (rules: ReturnType<typeof alertRules>): boolean =>
      rules.some(({ alert, expr }) => alert === 'ManagementBackupOld' && expr.endsWith('> 93600'));
    expect([named(alertRules()), named(alertRules(values))]).toEqual([false, true]);
  });

  const refused: [string, string[], RegExp][] = [
    ['a backup without a volume', ['backup.enabled=true'], /backup\.claimName/],
    ['a value that it does not know', ['replica=3'], /replica/],
    ['a number as text', ['replicas=many'], /replicas/],
    ['an even number of etcd members', ['etcd.replicas=2'], /etcd\/replicas/],
    ['a flag without dashes', ['server.flags={v=2}'], /flags/],
    ['a flag that the server does not have', ['server.flags={--max-watchers=2}'], /flags/],
    ['a flag that begins as another does', ['server.flags={--vv=2}'], /flags/],
    [
      'a prefix that the policy would not know',
      ['server.flags={--project-namespace-prefix=x-}'],
      /server\/flags/,
    ],
    ['a prefix of every namespace', ['server.projectNamespacePrefix='], /projectNamespacePrefix/],
    ['no etcd at all', ['etcd.enabled=false'], /externalEtcd\.servers must name an etcd/],
    ['a source of certificates that there is not', ['certificates.source=magic'], /source/],
    ['a Secret without a name', ['certificates.source=secret'], /certificates\.secretName/],
    [
      'a Secret without its authority',
      ['certificates.source=secret', 'certificates.secretName=a'],
      /authority/,
    ],
    ['too short a time to stop in', ['server.stopDelaySeconds=25'], /terminationGracePeriodSeconds/],
    [
      'an authority that ends too soon after its certificates',
      ['certificates.certificateLife=100h', 'certificates.authorityLife=299h59m'],
      /certificates\.authorityLife must be at least three times as long/,
    ],
    [
      'certificates that end at once',
      ['certificates.certificateLife=29s'],
      /certificates\.certificateLife must be 30s at least/,
    ],
    ['a time that there is not', ['backup.schedule=0 24 * * *'], /backup\/schedule/],
    ['a time of too few parts', ['backup.schedule=0 3 * *'], /backup\/schedule/],
    [
      'an etcd without TLS',
      [
        'etcd.enabled=false',
        'externalEtcd.servers={https://a:2379,http://b:2379}',
        'externalEtcd.tlsSecretName=a',
      ],
      /externalEtcd\/servers\/1/,
    ],
    [
      'an etcd without a Secret of whom to trust',
      ['etcd.enabled=false', 'externalEtcd.servers={https://a:2379}'],
      /externalEtcd\/tlsSecretName/,
    ],
    [
      'an etcd beside that of the chart',
      ['externalEtcd.servers={https://a:2379}', 'externalEtcd.tlsSecretName=a'],
      /externalEtcd\/servers/,
    ],
    ['a collector that is a word', ['tracing.endpoint=foo'], /tracing\/endpoint/],
    ['a digest that is none', ['image.digest=latest'], /digest/],
    ['a place for audit lines that there is not', ['audit.log=/tmp/x'], /audit\/log/],
    ['an audit policy without rules', ['audit.policy.omitManagedFields=true'], /audit\/policy/],
    [
      'an audit policy and a ConfigMap with another',
      ['audit.policy.rules[0].level=None', 'audit.policyConfigMap=ours'],
      /audit\.policy and audit\.policyConfigMap exclude each other/,
    ],
  ];
  test.each(refused)('refuses %s', (_name, values, message) => {
    expect(() => renderText(values)).toThrow(message);
  });

  test.each(['@daily', '@every 6h', '*/15 0-6,22 1 JAN-mar MON-FRI', '5 3 1,15 * 0'])(
    'takes a backup at %s',
    (schedule) => {
      const values = ['backup.enabled=true', 'backup.claimName=backups'];
      const [job] = byKind(
        render([...values, `backup.schedule=${schedule.replaceAll(',', '\\,')}`]),
        'CronJob',
      );
      expect(job?.spec).toMatchObject({ schedule });
    },
  );

  test('limits connections from and to every Pod but those of hooks', () => {
    type Labels = Readonly<Record<string, string>>;
    const objects = render([...(VALUE_SETS.everything ?? [])]);
    const policies = byKind(objects, 'NetworkPolicy').map(
      ({ spec }) =>
        spec as unknown as {
          readonly podSelector: { readonly matchLabels: Labels };
          readonly policyTypes: readonly string[];
        },
    );
    const labelled = (spec: ChartObject['spec']): Labels[] => {
      const { template, jobTemplate } = spec as {
        template?: { metadata: { labels: Labels } };
        jobTemplate?: { spec: ChartObject['spec'] };
      };
      return jobTemplate === undefined ? [template?.metadata.labels ?? {}] : labelled(jobTemplate.spec);
    };
    const pods = ['Deployment', 'StatefulSet', 'CronJob'].flatMap((kind) => byKind(objects, kind));
    expect(pods).toHaveLength(4);
    for (const { kind, spec } of pods)
      for (const labels of labelled(spec)) {
        const its = policies.filter(({ podSelector: { matchLabels } }) =>
          Object.entries(matchLabels).every(([label, value]) => labels[label] === value),
        );
        expect([kind, its.map(({ policyTypes }) => policyTypes)]).toEqual([kind, [['Ingress', 'Egress']]]);
      }
  });

  test('has an etcd that removes its history', () => {
    const [etcd] = byKind(render([]), 'StatefulSet').flatMap(podSpecs);
    expect(etcd?.containers[0]?.args).toEqual(
      expect.arrayContaining(['--auto-compaction-mode=periodic', '--auto-compaction-retention=10m']),
    );
  });

  /** The flag in whose place a variable stands. */
  const flagOf = (variable: string): string[] => {
    const [, name] = /^MANAGEMENT_APISERVER_(\w+)$/.exec(variable) ?? [];
    return name === undefined ? [] : [`--${name.toLowerCase().replaceAll('_', '-')}`];
  };

  test('refuses every flag that it sets itself', () => {
    const more = ['server.console=false', 'server.adoptStore=true', 'allowClusterNetworks={10.0.0.0/8}'];
    const given = VALUE_SETS.everything?.find((value) => value.startsWith('server.flags=')) ?? '';
    const flags = [...Object.values(VALUE_SETS), more]
      .flatMap((values) => byKind(render(values), 'Deployment').flatMap(podSpecs))
      .flatMap(({ containers: [first] }) =>
        first?.args?.[0] === 'backup'
          ? []
          : [...(first?.args ?? []), ...(first?.env ?? []).flatMap(({ name }) => flagOf(name))],
      )
      .map((arg) => arg.replace(/=.*/s, ''))
      .filter((flag) => !given.includes(flag));
    const own = [...new Set(flags)];
    expect(own.length).toBeGreaterThan(20);
    const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as {
      properties: { server: { properties: { flags: { items: { not: { pattern: string } } } } } };
    };
    const refuses = new RegExp(schema.properties.server.properties.flags.items.not.pattern);
    expect(own.filter((flag) => !refuses.test(flag) || !refuses.test(`${flag}=x`))).toEqual([]);
    expect(() => renderText(['server.flags={--audit-log-path=none}'])).toThrow(/flags/);
  });

  test('gives every Pod the Secrets that its images are pulled with', () => {
    const set = [
      'backup.enabled=true',
      'backup.claimName=backups',
      'backup.log=true',
      'imagePullSecrets[0].name=registry',
    ];
    const pods = render(set).flatMap(podSpecs);
    expect(pods.length).toBeGreaterThan(4);
    expect(pods.map(({ imagePullSecrets }) => imagePullSecrets)).toEqual(
      pods.map(() => [{ name: 'registry' }]),
    );
  });

  test.each([
    [
      'three times as long, to the second',
      ['certificates.certificateLife=20m', 'certificates.authorityLife=3600s'],
    ],
    [
      'any, where the servers make no certificates',
      ['certificates.source=certManager', 'certificates.authorityLife=1h'],
    ],
  ])('takes an authority whose life is %s', (_what, values) => {
    expect(renderText(values)).toContain('kind: Deployment');
  });

  test('has a schema of exactly the values that there are', () => {
    const all = valuePaths(CHART);
    expect(all.filter((path) => path.includes(': '))).toEqual([]);
    expect(all.length).toBeGreaterThan(40);
  });
});

describeWith('helm')('every Pod of the chart', () => {
  describe.each(Object.entries(VALUE_SETS))('with %s', (_name, values) => {
    test('is restricted', () => {
      const objects = render(values);
      const pods = objects.flatMap((object) =>
        podSpecs(object).map((pod) => ({ name: object.metadata.name, pod })),
      );
      expect(pods.length).toBeGreaterThan(2);
      for (const { name, pod } of pods) {
        expect([name, pod.securityContext]).toMatchObject([
          name,
          { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
        ]);
        expect(pod.enableServiceLinks).toBe(false);
        for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
          expect([container.name, container.securityContext]).toEqual([
            container.name,
            {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              runAsNonRoot: true,
              capabilities: { drop: ['ALL'] },
            },
          ]);
          expect(container.resources.limits).toHaveProperty('memory');
          const mounted = (container.volumeMounts ?? []).map((mount) => mount.name);
          const known = [...(pod.volumes ?? []).map((volume) => volume.name), 'data'];
          expect(mounted.filter((mount) => !known.includes(mount))).toEqual([]);
        }
      }
    });

    test('uses an account that is there', () => {
      const objects = render(values);
      const accounts = byKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name);
      const used = objects.flatMap(podSpecs).map(({ serviceAccountName }) => serviceAccountName);
      expect(used.filter((account) => !accounts.includes(account))).toEqual([]);
    });
  });

  test('is rendered the same each time', () => {
    expect(renderText([])).toBe(renderText([]));
  });
});
