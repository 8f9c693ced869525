import { readFileSync } from 'node:fs';
import type { ObjectKey } from '../../../api/resource.js';
import { FLAG_NAMES, FLAGS, type FlagName } from './flags/flags.js';
import { MODE_FLAGS } from './flags/mode.js';
import type { Options } from './options.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';

/** The cluster of the host. */
export interface HostConfig {
  /** The path of a kubeconfig; undefined: the Pod's service account. */
  readonly kubeconfig: string | undefined;
  /** Replaces the authorities of the cluster for client certificates; undefined: those of the cluster. */
  readonly clientCaFile: string | undefined;
  /** The namespace of the Leases of the controllers and of the store. */
  readonly leaseNamespace: string;
  /** The name of the Cluster object of this cluster; undefined: there is none. */
  readonly localCluster: string | undefined;
  /** Whether a store that the cluster does not know is adopted. */
  readonly adoptStore: boolean;
  /** The Secret that the file of --encryption-key-file came from; undefined: nobody keeps it. */
  readonly keySecret: ObjectKey | undefined;
  /** The Helm release that it is of. */
  readonly keySecretRelease: string | undefined;
}

/** The file with the namespace of a Pod. */
const POD_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Options that are invalid in a mode, and their replacement. */
const INVALID_IN_MODE: Readonly<Record<Options['mode'], readonly (readonly [FlagName, string])[]>> = {
  standalone: [
    ...FLAG_NAMES.filter((option) => option !== 'mode' && Object.hasOwn(MODE_FLAGS, option)),
    'servingSecret' as const,
  ].map((option) => [option, 'it goes with --mode=aggregated'] as const),
  aggregated: [
    ['writeKubeconfig', "administrators are the cluster's: use a kubeconfig of the cluster"],
    ['tokenAuthFile', "users are the cluster's: give tokens to its API server, or make access keys"],
  ],
};

/** The cluster; undefined in standalone mode. Throws StartError for options that are invalid in the mode. */
export function hostOf(options: Options): HostConfig | undefined {
  const { mode } = options;
  for (const [option, why] of INVALID_IN_MODE[mode])
    if (options.given.has(option))
      throw new StartError(`--${FLAGS[option].name} is not valid in ${mode} mode: ${why}`);
  if (mode === 'standalone') return undefined;
  if (options.etcdServers === undefined)
    throw new StartError('--mode=aggregated requires --etcd-servers: the state is kept in etcd only');
  return {
    kubeconfig: options.kubeconfig,
    clientCaFile: options.clientCaFile,
    leaseNamespace: options.leaseNamespace ?? podNamespace() ?? 'kube-system',
    adoptStore: options.adoptStore,
    keySecret: options.encryptionKeySecret,
    keySecretRelease: options.encryptionKeySecretRelease,
    localCluster: options.localCluster,
  };
}

function podNamespace(): string | undefined {
  try {
    return readFileSync(POD_NAMESPACE, 'utf8').trim();
  } catch {
    return undefined;
  }
}
