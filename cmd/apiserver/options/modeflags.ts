import { defaulted, define } from './flag.js';
import { boolean, mode, namespaceName, text } from './flagvalues.js';

/** Options of how the server stands in a cluster; those that k8s.io/sample-apiserver has are named as there. */
export const MODE_FLAGS = {
  mode: defaulted({
    name: 'mode',
    value: '<mode>',
    description:
      'standalone: a server for itself; aggregated: behind the API server of a cluster, whose users, rights and namespaces count.',
    fallback: 'standalone',
    parse: mode,
  }),
  kubeconfig: define({
    name: 'kubeconfig',
    value: '<file>',
    description:
      'How to reach the cluster, in aggregated mode. (default: what a pod is given, its service account)',
    parse: text,
  }),
  authenticationKubeconfig: define({
    name: 'authentication-kubeconfig',
    value: '<file>',
    description: 'How to ask the cluster who a client is, in aggregated mode. (default: as --kubeconfig)',
    parse: text,
  }),
  authorizationKubeconfig: define({
    name: 'authorization-kubeconfig',
    value: '<file>',
    description: 'How to ask the cluster what a user may do, in aggregated mode. (default: as --kubeconfig)',
    parse: text,
  }),
  leaseNamespace: define({
    name: 'lease-namespace',
    value: '<namespace>',
    description:
      'Where in the cluster the Leases of the controllers and of the store are, in aggregated mode. (default: that of the pod; else kube-system)',
    parse: namespaceName,
  }),
  hostLetsEverybodyAsk: defaulted({
    name: 'host-lets-everybody-ask',
    value: '[true|false]',
    description:
      'Says that the cluster lets everybody who is authenticated ask for these kinds, by the ClusterRole management:host:requests:all, in aggregated mode. This server decides in any case; one of a release that would not does not start with it.',
    fallback: 'false',
    parse: boolean,
  }),
  adoptStore: defaulted({
    name: 'adopt-store',
    value: '[true|false]',
    description:
      'Take the store although the cluster knows another or a newer one, as after a restore, in aggregated mode: the log says first what will be deleted. For one start.',
    fallback: 'false',
    parse: boolean,
  }),
} as const;
