import type { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { Cli, Verb } from '../cli.js';
import type { Client } from '../connection/client.js';
import { directTarget, type Instance } from '../direct/target.js';
import type { KubeconfigEntry } from '../files/kubeconfigfile.js';
import { keepCertificate } from '../files/tokencache.js';
import { virtualClusterConfig } from '../files/vclusterconfig.js';
import { projectNamespace } from '../project.js';
import { directEntries } from './usedirect.js';

const EXAMPLES = `
Examples:
  platform use vcluster dev --project web
  kubectl get pods
  platform use vcluster dev --project web --direct
`;
const SPACE_EXAMPLES = `
Examples:
  platform use space staging --project web
  platform use space staging --project web --direct
`;
const DIRECT =
  'Reach it at the agent of its cluster, or else through the management API, with a token for it alone.';
const SPACE_DIRECT = `${DIRECT} So it is where its cluster names no address.`;
const VCLUSTER_DIRECT = `${DIRECT} So it is where it has no ingress.`;

interface UseOptions {
  readonly project: string;
  readonly file?: string;
  readonly direct?: boolean;
}

/** `platform use vcluster|space NAME`: an entry of the kubeconfig, whose credentials come from this program. */
export const use: Verb = (program, cli) => {
  const command = program.command('use').description('Switch kubectl to a virtual cluster or a space.');
  command
    .command('vcluster <name>')
    .description('Add a kubeconfig context for a virtual cluster, and switch to it.')
    .requiredOption('--project <project>', 'Project that it is in.')
    .option('--direct', VCLUSTER_DIRECT)
    .option('--file <file>', 'Kubeconfig to write (default: that of kubectl).')
    .addHelpText('after', EXAMPLES)
    .action((name: string, { project, ...options }: UseOptions) =>
      useInstance(cli, { kind: 'vcluster', project, name }, options, vclusterEntry),
    );
  command
    .command('space <name>')
    .description('Add a kubeconfig context for a space in its connected cluster, and switch to it.')
    .requiredOption('--project <project>', 'Project that it is in.')
    .option('--direct', SPACE_DIRECT)
    .option('--file <file>', 'Kubeconfig to write (default: that of kubectl).')
    .addHelpText('after', SPACE_EXAMPLES)
    .action((name: string, { project, ...options }: UseOptions) =>
      useInstance(cli, { kind: 'space', project, name }, options, spaceEntry),
    );
};

async function useInstance(
  cli: Cli,
  instance: Instance,
  { direct, file }: Omit<UseOptions, 'project'>,
  entryOf: (cli: Cli, client: Client, instance: Instance) => Promise<KubeconfigEntry | undefined>,
): Promise<void> {
  const client = await cli.connect();
  const entry = direct === true ? undefined : await entryOf(cli, client, instance);
  if (entry !== undefined) return write(cli, [entry], file);
  const user = (flags: readonly string[]): Promise<object> => plugin(cli, client, ['token', ...flags]);
  const { entries, explanations } = await directEntries(cli, client, instance, user);
  await write(cli, entries, file);
  for (const explanation of explanations) cli.terminal.tell(explanation);
}

/** The last one becomes the current one. */
async function write(
  { env, terminal }: Cli,
  entries: readonly KubeconfigEntry[],
  file: string | undefined,
): Promise<void> {
  const [{ writeEntry }, { defaultPath }] = await Promise.all([
    import('../files/kubeconfigfile.js'),
    import('../connection/readkubeconfig.js'),
  ]);
  const path = file ?? defaultPath(env);
  for (const entry of entries) await writeEntry(path, entry);
  terminal.tell(`${path} has the context "${entries.at(-1)?.name}", which is current now.`);
}

/** With a certificate of the virtual cluster, at its ingress; undefined: it has none. */
async function vclusterEntry(
  cli: Cli,
  client: Client,
  { project, name }: Instance,
): Promise<KubeconfigEntry | undefined> {
  if (!(await hasIngress(client, project, name))) return undefined;
  const config = await virtualClusterConfig(client, project, name);
  await keepCertificate(cli.env, client, config, [project, name]);
  const { server, authority } = config;
  return {
    name: `platform-vcluster-${project}-${name}`,
    cluster: { server, ...(authority !== undefined && { 'certificate-authority-data': authority }) },
    user: await plugin(cli, client, ['token', '--virtual-cluster', `${project}/${name}`]),
  };
}

async function hasIngress(client: Client, project: string, name: string): Promise<boolean> {
  const namespace = await projectNamespace(client, project);
  const { spec } = await client.get<Pick<VirtualClusterInstance, 'spec'>>({
    resource: 'virtualclusterinstances',
    namespace,
    name,
  });
  return spec?.accessPoint?.ingress?.enabled === true;
}

/** At the address of the cluster; undefined: it names none. */
async function spaceEntry(
  cli: Cli,
  client: Client,
  instance: Instance,
): Promise<KubeconfigEntry | undefined> {
  const { cluster, namespace, endpoint } = await directTarget(client, instance);
  if (endpoint === undefined || namespace === undefined) return undefined;
  const { server, authority } = endpoint;
  const ca = authority && Buffer.from(authority).toString('base64');
  return {
    name: `platform-space-${instance.project}-${instance.name}`,
    cluster: { server, ...(ca !== undefined && { 'certificate-authority-data': ca }) },
    user: await plugin(cli, client, ['token', '--direct-cluster-endpoint', '--cluster', cluster]),
    namespace,
  };
}

/** kubectl runs this program for each command, with the login that the entry was made with. */
async function plugin(cli: Cli, client: Client, args: readonly string[]): Promise<object> {
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'platform',
      args: [...(await cli.pinned(client)), ...args],
      interactiveMode: 'Never',
      installHint: 'platform is the client of the management API server; install it and log in.',
    },
  };
}
