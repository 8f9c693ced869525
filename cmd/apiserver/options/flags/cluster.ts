import { define } from './flag.js';
import { networks } from './values.js';

/** Options of connected clusters. */
export const CLUSTER_FLAGS = {
  allowClusterNetworks: define({
    name: 'allow-cluster-networks',
    value: '<networks>',
    description:
      'Comma-separated CIDRs of networks in which the server may connect to clusters, although it refuses them by default: loopback, link-local, multicast and cloud metadata addresses, and the networks of its own interfaces.',
    parse: networks,
  }),
} as const;
