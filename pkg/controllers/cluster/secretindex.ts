/** The clusters by the Secret of their kubeconfig. */
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';

export interface SecretIndex {
  /** Undefined: the cluster was deleted. */
  set(cluster: string, object: Cluster | undefined): void;
  /** `secret`: its namespace and name. */
  clustersOf(secret: { readonly namespace: string; readonly name: string }): Iterable<string>;
  names(): Iterable<string>;
  clear(): void;
}

export function secretIndex(): SecretIndex {
  const secrets = new Map<string, string>();
  const clusters = new Map<string, Set<string>>();
  return {
    set(cluster, object) {
      const before = secrets.get(cluster);
      if (before !== undefined) {
        const others = clusters.get(before);
        others?.delete(cluster);
        if (others?.size === 0) clusters.delete(before);
      }
      secrets.delete(cluster);
      if (object === undefined) return;
      const { secretNamespace = '', secretName = '' } = object.spec?.config ?? {};
      const path = `${secretNamespace}/${secretName}`;
      secrets.set(cluster, path);
      const named = clusters.get(path) ?? new Set();
      clusters.set(path, named.add(cluster));
    },
    clustersOf: ({ namespace, name }) => clusters.get(`${namespace}/${name}`) ?? [],
    names: () => secrets.keys(),
    clear() {
      secrets.clear();
      clusters.clear();
    },
  };
}
