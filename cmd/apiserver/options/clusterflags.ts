import { define } from './flag.js';
import { networks } from './flagvalues.js';

/** Options of connected clusters. */
export const CLUSTER_FLAGS = {
  allowClusterNetworks: define({
    name: 'allow-cluster-networks',
    value: '<networks>',
    description:
      "Connect to clusters in these networks too, CIDRs separated by commas. Loopback, link-local, multicast and cloud metadata addresses and the networks of the server's own interfaces are refused otherwise.",
    parse: networks,
  }),
} as const;
