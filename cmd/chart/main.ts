#!/usr/bin/env node
/** The commands of the Helm chart's Pods besides the server. */
import { Command } from 'commander';
import { connectHost } from '../../pkg/hostclient/connect.js';
import type { HostClient } from '../../pkg/hostclient/interface.js';
import { checkApiService } from './apiservice.js';
import { keepEncryptionKey, type EncryptionKeyWishes } from './encryptionkey.js';
import { keepEtcdCertificates, writeEtcdCertificates } from './etcdcertificates.js';
import { removeObjects } from './remove.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const program = new Command('chart')
  .description('Steps of the Helm chart.')
  .option('--kubeconfig <file>', 'How to reach the cluster. (default: what a pod is given)');

/** Runs a step with a client of the cluster. */
async function withHost(step: (host: HostClient) => Promise<void>): Promise<void> {
  const host = await connectHost({ kubeconfig: program.opts<{ kubeconfig?: string }>().kubeconfig });
  try {
    await step(host);
  } finally {
    host.close();
  }
}

program
  .command('remove <paths...>')
  .description('Delete objects, by their paths in the API, and wait until each is gone.')
  .action((paths: string[]) => withHost((host) => removeObjects(host, paths, say)));

program
  .command('check-apiservice <name>')
  .description('Wait until an APIService is available, then list what it serves.')
  .action((name: string) => withHost((host) => checkApiService(host, name, say)));

interface CertificateFlags {
  readonly secret: string;
  readonly names: string;
  readonly out: string;
  readonly keep?: number;
}

program
  .command('etcd-certificates')
  .description('Write the certificates of a member of etcd, kept in a Secret. An empty one is filled.')
  .requiredOption('--secret <namespace/name>', 'Where they are kept.')
  .requiredOption('--names <names>', 'DNS names of the members, separated by commas.')
  .requiredOption('--out <directory>', 'Where ca.crt, tls.crt and tls.key go.')
  .option('--keep <seconds>', 'Go on, and look at the Secret every so many seconds.', Number)
  .action(({ secret, names, out, keep }: CertificateFlags) =>
    withHost((host) => {
      const wishes = { secret, names: names.split(','), out };
      if (keep === undefined) return writeEtcdCertificates(host, wishes, say);
      const stopping = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
      return keepEtcdCertificates(host, { ...wishes, everySeconds: keep }, say, stopping.signal);
    }),
  );

program
  .command('encryption-key')
  .description('Write the keys that the store is encrypted with, kept in a Secret. An empty one is filled.')
  .requiredOption('--secret <namespace/name>', 'Where they are kept.')
  .requiredOption('--out <directory>', 'Where encryption.key goes.')
  .option(
    '--adopt-store',
    'The store is restored: it may need other keys than the cluster knows, and no new ones.',
  )
  .action((wishes: EncryptionKeyWishes) => withHost((host) => keepEncryptionKey(host, wishes, say)));

process.umask(0o077);
program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`chart: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
