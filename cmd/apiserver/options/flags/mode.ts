import { boolean } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { clusterName, mode, namespacedName, namespaceName, text } from './values.js';

/** Options of the mode, with the names of k8s.io/sample-apiserver where it has them. */
export const MODE_FLAGS = {
  mode: defaulted({
    name: 'mode',
    value: '<mode>',
    description:
      'standalone: a server with its own users, roles and namespaces. aggregated: behind the API server of a cluster, registered there as an APIService, with the users, roles and namespaces of that cluster.',
    fallback: 'standalone',
    parse: mode,
  }),
  kubeconfig: define({
    name: 'kubeconfig',
    value: '<file>',
    description:
      'Kubeconfig file for the cluster. Aggregated mode only. (default: the service account of the pod)',
    parse: text,
  }),
  leaseNamespace: define({
    name: 'lease-namespace',
    value: '<namespace>',
    description:
      'Namespace of the Leases for leader election and for the store. Aggregated mode only. (default: the namespace of the pod, else kube-system)',
    parse: namespaceName,
  }),
  localCluster: define({
    name: 'local-cluster',
    value: '<cluster>',
    description:
      'Name of the Cluster that is the cluster itself: with spec.local it needs no kubeconfig, and is used with the rights of this server. Aggregated mode only. (default: none)',
    parse: clusterName,
  }),
  encryptionKeySecret: define({
    name: 'encryption-key-secret',
    value: '<namespace/name>',
    description:
      'Secret in the cluster that the file of --encryption-key-file was taken from. Keys of the store that are missing there are put back, also if the Secret is gone. Aggregated mode only.',
    parse: namespacedName,
  }),
  encryptionKeySecretRelease: define({
    name: 'encryption-key-secret-release',
    value: '<release>',
    description:
      'Helm release, in the namespace of --encryption-key-secret, that the Secret is of: one that is put back has the labels and annotations by which Helm knows its own. Set by the chart. Aggregated mode only.',
    parse: text,
  }),
  adoptStore: defaulted({
    name: 'adopt-store',
    value: '[true|false]',
    description:
      'Start with a store that is not the one, or is older than the one, that the cluster has on record, for example after a restore. The log first lists what will be deleted. Set it for one start only. Aggregated mode only.',
    fallback: 'false',
    parse: boolean,
  }),
} as const;
