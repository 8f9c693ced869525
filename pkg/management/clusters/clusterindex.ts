/** Keys of objects by the cluster that they are in. */
export class ClusterIndex {
  private readonly clusters = new Map<string, string>();
  private readonly keys = new Map<string, Set<string>>();

  /** `cluster`: `''` if it is in none. */
  set(key: string, cluster: string): void {
    const before = this.clusters.get(key);
    if (before === cluster) return;
    if (before !== undefined) {
      const others = this.keys.get(before);
      others?.delete(key);
      if (others?.size === 0) this.keys.delete(before);
    }
    this.clusters.delete(key);
    if (cluster === '') return;
    this.clusters.set(key, cluster);
    this.keys.set(cluster, (this.keys.get(cluster) ?? new Set()).add(key));
  }

  clusterOf(key: string): string {
    return this.clusters.get(key) ?? '';
  }

  /** A snapshot. */
  keysOf(cluster: string): readonly string[] {
    return [...(this.keys.get(cluster) ?? [])];
  }

  clear(): void {
    this.clusters.clear();
    this.keys.clear();
  }
}
