/** The chart of the agent in the cluster that the caller's kubeconfig leads to. */
import { spawn } from 'node:child_process';
import { agentName } from '../../../../pkg/management/clusters/join/agentname.js';
import { membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import { codeOf } from '../../../../pkg/apimachinery/caught.js';
import { SERVER_VERSION } from '../../../../pkg/server/version.js';
import type { Environment } from '../../cli.js';
import { Failure } from '../../failure.js';

/** As the release has it. */
export const CHART_FILE = `management-agent-chart-${SERVER_VERSION}.tgz`;
/** What to do where there is no chart. */
export const CHART_ADVICE = `name the chart with --chart: ${CHART_FILE} of the release, deploy/helm-agent of a checkout, or an OCI reference`;
export const DEFAULT_NAMESPACE = 'management-agent';
const RELEASE = 'management-agent';

export interface Release {
  readonly namespace: string;
  /** Of the kubeconfig; undefined: the current one. */
  readonly kubeContext: string | undefined;
}

export interface AgentChart extends Release {
  readonly cluster: string;
  readonly chart: string;
  /** The URL of the management API, as the agent reaches it. */
  readonly server: string;
  /** PEM; undefined: the authorities of the system. */
  readonly authority: string | undefined;
  readonly token: string;
  /** Further values, `key=value`. */
  readonly values: readonly string[];
}

const where = ({ namespace, kubeContext }: Release): string[] => [
  '--namespace',
  namespace,
  ...(kubeContext === undefined ? [] : ['--kube-context', kubeContext]),
];

/** Values of the chart: outbound only, unless further ones say otherwise. */
const valuesOf = ({ cluster, server, authority, token }: AgentChart): ChartValues => ({
  cluster,
  management: { user: agentName(cluster) },
  join: {
    server,
    token,
    ...(authority !== undefined && { caBundle: Buffer.from(authority).toString('base64') }),
  },
  tunnel: { enabled: true },
  service: { enabled: false },
  networkPolicy: { enabled: true },
});

type Value = string | boolean;
type ChartValues = Readonly<Record<string, Value | Readonly<Record<string, Value>>>>;

const upgrade = (chart: AgentChart, values: readonly string[]): string[] => [
  ...['upgrade', '--install', RELEASE, chart.chart, ...where(chart), '--create-namespace'],
  ...values,
  ...chart.values.flatMap((value) => ['--set', value]),
];

/** Arguments of helm, to be read by people and run elsewhere: they hold the token. */
export const printedArguments = (chart: AgentChart): string[] =>
  upgrade(
    chart,
    Object.entries(valuesOf(chart)).flatMap(([name, value]) =>
      typeof value === 'object'
        ? Object.entries(value).flatMap(([key, inner]) => setFlag(`${name}.${key}`, inner))
        : setFlag(name, value),
    ),
  );

const setFlag = (path: string, value: Value): string[] =>
  typeof value === 'string'
    ? ['--set-string', `${path}=${value.replace(/[\\,]/g, '\\$&')}`]
    : ['--set', `${path}=${value}`];

/** Arguments of helm, which everybody on this machine can read, and its input, which holds the token. */
export const installation = (chart: AgentChart): { args: string[]; input: string } => ({
  args: upgrade(chart, ['--values', '-']),
  input: JSON.stringify(valuesOf(chart)),
});

/** A line for a shell. */
export const asCommand = (args: readonly string[]): string =>
  ['helm', ...args]
    .map((one) => (/^[-\w./:=@,+]+$/.test(one) ? one : `'${one.replaceAll("'", "'\\''")}'`))
    .join(' ');

/** The Cluster of the agent that is installed there; undefined: none is. Rejects with Failure. */
export async function installedCluster(release: Release, env: Environment): Promise<string | undefined> {
  const { code, out, err } = await helm(['get', 'values', RELEASE, ...where(release), '-o', 'json'], env);
  if (code === 0) return textIn(membersOf(JSON.parse(out)), 'cluster') ?? '';
  if (err.includes('not found')) return undefined;
  throw failed(err, 'look whether kubectl reaches the cluster');
}

/** Rejects with Failure where helm does not find the chart. */
export async function mustBeChart(chart: string, env: Environment): Promise<void> {
  const { code, err } = await helm(['show', 'chart', chart], env);
  if (code !== 0) throw failed(err, CHART_ADVICE);
}

export async function install(chart: AgentChart, env: Environment): Promise<void> {
  const { args, input } = installation(chart);
  const { code, err } = await helm(args, env, input);
  if (code !== 0)
    throw failed(
      err.replaceAll(chart.token, '<token>'),
      `mend that, and run "platform connect cluster ${chart.cluster}" again`,
    );
}

export async function uninstall(release: Release, env: Environment): Promise<void> {
  const { code, err } = await helm(['uninstall', RELEASE, ...where(release), '--wait'], env);
  if (code !== 0) throw failed(err, 'run the command again');
}

/** An error that forbids something is of the cluster, by the rights of the caller's kubeconfig there. */
const failed = (err: string, advice: string): Failure =>
  new Failure('failed', `helm: ${err.trim().slice(0, 1_000)}`, {
    advice: err.includes('is forbidden')
      ? 'your kubeconfig lacks that right in the cluster: have an administrator of the cluster run what this command prints with --print'
      : advice,
  });

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function helm(args: readonly string[], env: Environment, input = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('helm', args, { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    // It may end without reading: its exit code says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    let [out, err] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
    child.once('error', (error) =>
      reject(
        new Failure('failed', `helm does not run: ${codeOf(error) ?? error.message}`, {
          advice: 'install helm, or run the command that "--print" prints where it is',
        }),
      ),
    );
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
