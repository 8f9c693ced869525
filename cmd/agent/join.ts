/** `management-agent join`: writes the kubeconfig of the management API to a file, before the agent starts. */
import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { agentConfiguration } from '../../pkg/agent/configuration.js';
import { join } from '../../pkg/agent/management/join.js';
import { connectHost } from '../../pkg/hostclient/connect.js';

interface JoinFlags {
  readonly cluster: string;
  readonly server: string;
  readonly caBundle?: string;
  readonly token: string;
  readonly namespace: string;
  readonly secret: string;
  readonly kubeconfig?: string;
  readonly out: string;
}

const option = (flags: string, text: string, variable: string): Option =>
  new Option(flags, text).env(`MANAGEMENT_AGENT_JOIN_${variable}`);

/** The options, for help and for checks of the chart. */
export const joinCommand = (): Command =>
  new Command('management-agent join')
    .description('Exchange a join token for credentials of the management API.')
    .addOption(option('--cluster <name>', 'Name of the Cluster.', 'CLUSTER').makeOptionMandatory())
    .addOption(option('--server <url>', 'URL of the management API.', 'SERVER').makeOptionMandatory())
    .addOption(option('--ca-bundle <base64>', 'Its certificate authorities, base64 of PEM.', 'CA_BUNDLE'))
    .addOption(option('--token <token>', 'The join token.', 'TOKEN').makeOptionMandatory())
    .addOption(option('--namespace <name>', 'Namespace of the Secret.', 'NAMESPACE').makeOptionMandatory())
    .addOption(option('--secret <name>', 'Secret that keeps the kubeconfig.', 'SECRET').makeOptionMandatory())
    .addOption(option('--kubeconfig <file>', 'Kubeconfig file for the cluster.', 'KUBECONFIG'))
    .addOption(option('--out <file>', 'File to write the kubeconfig to.', 'OUT').makeOptionMandatory());

/** Rejects with an Error for the operator. */
export async function runJoin(args: readonly string[]): Promise<void> {
  const {
    cluster,
    server,
    caBundle = '',
    token,
    namespace,
    secret,
    kubeconfig,
    out,
  } = joinCommand().parse(args, { from: 'user' }).opts<JoinFlags>();
  const client = await connectHost({ settings: await agentConfiguration(kubeconfig) });
  try {
    const authority = caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('utf8');
    const text = await join(client, { cluster, server, authority, token, namespace, secretName: secret });
    await writeFile(out, text, { mode: 0o600 });
  } finally {
    client.close();
  }
}
