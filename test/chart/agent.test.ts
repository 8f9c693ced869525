/** The chart of the agent: its Deployment gives flags that the agent takes, and the tunnel opens no way in. */
import { expect, test } from '@jest/globals';
import { agentCommand, readOptions, type AgentOptions } from '../../cmd/agent/options.js';
import {
  AGENT_CHART,
  podSpecs,
  render,
  renderText,
  valuePaths,
  type ChartObject,
  type Container,
} from '../fixtures/host/chart.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { describeWith, execute } from '../fixtures/program.js';

const REQUIRED = ['cluster=east', 'management.kubeconfigSecretName=management'];
const TUNNEL = [...REQUIRED, 'tunnel.enabled=true'];
const API_SERVER = [...TUNNEL, 'tunnel.apiServer=true'];
/** Reached by its tunnels alone. */
const CLOSED = [...API_SERVER, 'service.enabled=false', 'networkPolicy.enabled=true'];

const rendered = (values: readonly string[]): ChartObject[] => render(values, AGENT_CHART);
const ofKind = (objects: readonly ChartObject[], kind: string): ChartObject[] =>
  objects.filter((object) => object.kind === kind);
const without = (objects: readonly ChartObject[], ...kinds: string[]): ChartObject[] =>
  objects.filter(({ kind }) => !kinds.includes(kind));

function agentIn(objects: readonly ChartObject[]): Container {
  const [container] = objects.flatMap(podSpecs).flatMap(({ containers }) => containers);
  if (container === undefined) throw new Error('the chart renders no Pod');
  return container;
}

/** As the agent reads them. Throws for a flag that it does not know, or a value that it does not take. */
function optionsIn(objects: readonly ChartObject[]): AgentOptions {
  const command = agentCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return readOptions(agentIn(objects).args ?? [], command);
}

describeWith('helm')('the chart of the agent', () => {
  test.each([
    ['its own values', REQUIRED],
    ['all that can be set', [...CLOSED, 'tlsSecretName=tls', 'virtualClusterNamespaces={one,two}']],
  ])('passes the strict lint with %s', (_name, values) => {
    const set = values.map((value) => `--set=${value}`);
    const { code, out, err } = execute(findProgram('helm') as string, [
      'lint',
      '--strict',
      AGENT_CHART,
      ...set,
    ]);
    expect({ code, out, err }).toMatchObject({ code: 0 });
  });

  test('has a schema of exactly the values that there are', () => {
    const all = valuePaths(AGENT_CHART);
    expect(all.filter((path) => path.includes(': '))).toEqual([]);
    expect(all).toContain('.tunnel.apiServer');
  });

  test('gives arguments that are text, and that the agent takes', () => {
    const objects = rendered(REQUIRED);
    const { args = [] } = agentIn(objects);
    expect(args.filter((arg) => typeof arg !== 'string')).toEqual([]);
    expect(args).toContain('--user-prefix=management:');
    expect(optionsIn(objects)).toMatchObject({
      cluster: 'east',
      securePort: 8443,
      userPrefix: 'management:',
      tunnel: false,
      tunnelApiServer: false,
      projectNamespacePrefix: 'loft-p-',
      revocationMaxAge: 7_200_000,
      maxRequestsInflight: 400,
      maxLongRunningRequests: 2_000,
      metricsBindAddress: { address: '0.0.0.0', port: 9402 },
      shutdownTimeout: 30_000,
    });
  });

  const JOIN = [
    'cluster=east',
    'management.user=agent-east',
    'join.server=https://m.example',
    'join.token=t-1',
  ];

  test('an agent that joins gets its kubeconfig from an init container, which may write one Secret alone', () => {
    const objects = rendered([
      ...JOIN,
      'tunnel.enabled=true',
      'service.enabled=false',
      'networkPolicy.enabled=true',
    ]);
    expect(renderText(JOIN, [], AGENT_CHART)).not.toContain('secretName:');
    const secrets = ofKind(objects, 'Secret').map(({ metadata }) => metadata.name);
    expect(secrets).toEqual([
      expect.stringMatching(/-join$/) as unknown,
      expect.stringMatching(/-management$/) as unknown,
    ]);
    const [role] = ofKind(objects, 'Role') as unknown as { rules: object[] }[];
    expect(role?.rules).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: [secrets[1]], verbs: ['get', 'patch'] },
    ]);
    expect(ofKind(objects, 'Service')).toEqual([]);
    expect(ofKind(objects, 'NetworkPolicy')).toHaveLength(1);
  });

  test('the management API may do what spaces and secrets need, as the user of the agent, and impersonates nobody', () => {
    const roles = ofKind(rendered(JOIN), 'ClusterRole') as unknown as {
      metadata: { name: string };
      rules: { resources: string[]; verbs: string[] }[];
    }[];
    const server = roles.find(({ metadata }) => metadata.name.endsWith('-server'));
    expect(server?.rules.flatMap(({ resources }) => resources)).toEqual([
      'namespaces',
      'secrets',
      'events',
      'rolebindings',
      'clusterroles',
    ]);
    const binds = server?.rules.filter(({ verbs }) => verbs.includes('bind'));
    expect(binds).toEqual([expect.objectContaining({ resourceNames: ['admin', 'edit'], verbs: ['bind'] })]);
    expect(server?.rules.flatMap(({ verbs }) => verbs)).not.toContain('impersonate');
    expect(renderText(JOIN, [], AGENT_CHART)).toContain('name: "management:agent-east"');
  });

  test.each(["it's:", '"quoted":', '#:', '{a:b}', '&a', '\\'])(
    'gives the user prefix %s as it is',
    (prefix) => {
      const set = `--set-json=agent.userPrefix=${JSON.stringify(prefix)}`;
      expect(renderText(REQUIRED, [set], AGENT_CHART)).toContain(JSON.stringify(`--user-prefix=${prefix}`));
    },
  );

  test.each([
    ['nothing', REQUIRED, { tunnel: false, tunnelApiServer: false }],
    ['tunnel.enabled', TUNNEL, { tunnel: true, tunnelApiServer: false }],
    ['tunnel.enabled and tunnel.apiServer', API_SERVER, { tunnel: true, tunnelApiServer: true }],
  ])('with %s set the agent has these tunnels', (_name, values, expected) => {
    expect(optionsIn(rendered(values))).toMatchObject(expected);
  });

  test('tunnel.apiServer gives the agent no further right, port or volume', () => {
    const [before, after] = [rendered(TUNNEL), rendered(API_SERVER)];
    expect(without(after, 'Deployment')).toEqual(without(before, 'Deployment'));
    expect({ ...agentIn(after), args: [] }).toEqual({ ...agentIn(before), args: [] });
    expect(agentIn(after).ports?.map(({ name, containerPort }) => [name, containerPort])).toEqual([
      ['https', 8443],
      ['metrics', 9402],
    ]);
    const rules = ofKind(after, 'ClusterRole').flatMap((role) => role.rules ?? []);
    expect(rules.map((rule) => (rule as { verbs: string[] }).verbs)).toEqual([
      ['impersonate'],
      ['impersonate'],
    ]);
  });

  test('the Service leads to the port that the agent listens on', () => {
    const objects = rendered([...API_SERVER, 'agent.port=9443', 'service.port=8443']);
    const [service] = ofKind(objects, 'Service');
    expect(service?.spec?.ports).toEqual([
      { name: 'https', port: 8443, targetPort: 'https', protocol: 'TCP', appProtocol: 'https' },
    ]);
    expect(agentIn(objects).ports?.[0]).toMatchObject({ name: 'https', containerPort: 9443 });
    expect(optionsIn(objects).securePort).toBe(9443);
    expect(service?.spec?.selector).toEqual(labelsOf(objects));
  });

  test('with the tunnel alone there is no Service, and the NetworkPolicy lets nobody in', () => {
    const objects = rendered(CLOSED);
    expect([...ofKind(objects, 'Service'), ...ofKind(objects, 'Ingress')]).toEqual([]);
    const [policy] = ofKind(objects, 'NetworkPolicy');
    const podSelector = { matchLabels: labelsOf(objects) };
    expect(policy?.spec).toEqual({ podSelector, policyTypes: ['Ingress'], ingress: [] });
  });

  test('metricsFrom is let in to metrics alone', () => {
    const peer = 'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.name=monitoring';
    const [policy] = ofKind(rendered([...CLOSED, peer]), 'NetworkPolicy');
    expect(policy?.spec?.ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
        ports: [{ port: 'metrics', protocol: 'TCP' }],
      },
    ]);
  });

  test.each([
    ['no cluster', ['management.kubeconfigSecretName=management'], 'cluster'],
    ['no kubeconfig', ['cluster=east'], 'kubeconfigSecretName'],
    ['two ways to the management API', [...JOIN, 'management.kubeconfigSecretName=m'], 'leave management'],
    ['no token to join with', JOIN.slice(0, 3), 'join.token'],
    ['the API server without a tunnel', [...REQUIRED, 'tunnel.apiServer=true'], 'needs tunnel.enabled'],
    ['text as a switch', [...TUNNEL, 'tunnel.apiServer=often'], 'apiServer'],
    ['an unknown value', [...TUNNEL, 'tunnel.apiserver=true'], 'apiserver'],
    ['a NetworkPolicy without a tunnel', [...REQUIRED, 'networkPolicy.enabled=true'], 'needs tunnel.enabled'],
    [
      'a NetworkPolicy before an Ingress',
      [...TUNNEL, 'networkPolicy.enabled=true', 'ingress.enabled=true', 'ingress.host=a.example.com'],
      'disable ingress.enabled',
    ],
    [
      'an Ingress without a Service',
      [...CLOSED.slice(0, 5), 'ingress.enabled=true'],
      'needs service.enabled',
    ],
    ...[
      'ingress',
      'tunnel',
      'networkPolicy',
      'management.audience',
      'management.projectNamespacePrefix',
      'agent.userPrefix',
      'agent.port',
      'agent.revocationMaxAge',
      'agent.shutdownTimeout',
    ].map((path): [string, string[], string] => [
      `values without ${path}`,
      [...REQUIRED, `${path}=null`],
      path.split('.').at(-1) ?? '',
    ]),
    ['a prefix of the system', [...REQUIRED, 'agent.userPrefix=system:'], 'userPrefix'],
    [
      'a limit that the agent does not take',
      [...REQUIRED, 'agent.maxRequestsInflight=100001'],
      'maxRequests',
    ],
  ])('refuses %s', (_name, values, why) => {
    expect(() => rendered(values)).toThrow(why);
  });
});

/** Of the Pods. */
function labelsOf(objects: readonly ChartObject[]): unknown {
  const [deployment] = ofKind(objects, 'Deployment');
  const { matchLabels } = deployment?.spec?.selector as { matchLabels: object };
  const { labels } = (deployment?.spec?.template as { metadata: { labels: object } }).metadata;
  expect(labels).toMatchObject(matchLabels);
  return matchLabels;
}
