import { readFileSync } from 'node:fs';
import type { DelegationConfig } from './delegation.js';
import { delegationOf } from './delegation.js';
import type { Options } from './options.js';
import { StartError } from './starterror.js';

/** The cluster behind whose API server this one stands. Paths are of kubeconfigs; undefined: what a pod is given. */
export interface HostConfig {
  readonly kubeconfig: string | undefined;
  /** For questions of who a client is. */
  readonly authenticationKubeconfig: string | undefined;
  /** For questions of what a user may do. */
  readonly authorizationKubeconfig: string | undefined;
  /** Of the Lease of the controllers. */
  readonly leaseNamespace: string;
  readonly delegation: DelegationConfig;
}

/** Where a pod finds the name of its namespace. */
const POD_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Options that mean nothing in a mode, and what to do instead. */
const STRAY: Readonly<Record<Options['mode'], readonly (readonly [keyof Options, string, string])[]>> = {
  standalone: [
    ['kubeconfig', 'kubeconfig', 'it goes with --mode=aggregated'],
    ['authenticationKubeconfig', 'authentication-kubeconfig', 'it goes with --mode=aggregated'],
    ['authorizationKubeconfig', 'authorization-kubeconfig', 'it goes with --mode=aggregated'],
    ['leaseNamespace', 'lease-namespace', 'it goes with --mode=aggregated'],
    ['servingSecret', 'serving-secret', 'it goes with --mode=aggregated'],
    ['requestheaderClientCaFile', 'requestheader-client-ca-file', 'it goes with --mode=aggregated'],
    ['requestheaderAllowedNames', 'requestheader-allowed-names', 'it goes with --mode=aggregated'],
  ],
  aggregated: [
    [
      'writeKubeconfig',
      'write-kubeconfig',
      "administrators are the cluster's: use a kubeconfig of the cluster",
    ],
    [
      'tokenAuthFile',
      'token-auth-file',
      "users are the cluster's: give tokens to its API server, or make access keys",
    ],
    ['certDir', 'cert-dir', 'no certificate is kept in files: give one with --tls-cert-file'],
  ],
};

/** The cluster; undefined in standalone mode. Throws StartError for options that do not go with the mode. */
export function hostOf(options: Options): HostConfig | undefined {
  const { mode } = options;
  for (const [option, flag, why] of STRAY[mode])
    if (options[option] !== undefined) throw new StartError(`--${flag} has no use in ${mode} mode: ${why}`);
  if (mode === 'standalone') return undefined;
  if (options.etcdServers === undefined)
    throw new StartError('--mode=aggregated needs --etcd-servers: state is kept in etcd alone');
  const { kubeconfig, leaseNamespace = podNamespace() ?? 'kube-system' } = options;
  return {
    kubeconfig,
    authenticationKubeconfig: options.authenticationKubeconfig ?? kubeconfig,
    authorizationKubeconfig: options.authorizationKubeconfig ?? kubeconfig,
    leaseNamespace,
    delegation: delegationOf(options),
  };
}

function podNamespace(): string | undefined {
  try {
    return readFileSync(POD_NAMESPACE, 'utf8').trim();
  } catch {
    return undefined;
  }
}
