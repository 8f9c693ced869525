/** Where agents exchange join tokens, without authentication. */
export const CLUSTER_JOIN = '/auth/cluster/join';
