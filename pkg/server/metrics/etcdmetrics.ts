/** Metrics of the space of etcd: those of its fullest member. */
import type { Registry } from 'prom-client';
import type { EtcdSpace } from '../../storage/etcd/space/status.js';
import { type CountSeries, exposeGauges } from './series.js';

/** Undefined: the state is not in etcd, or etcd has not been reached yet. */
export type EtcdSpaceSource = () => EtcdSpace | undefined;

/** By name: what it says, and its value. */
const GAUGES: Readonly<
  Record<string, readonly [help: string, value: (space: EtcdSpace) => number | undefined]>
> = {
  management_apiserver_etcd_size_bytes: [
    'Size of the database file of etcd, with free pages, in bytes.',
    ({ sizeBytes }) => sizeBytes,
  ],
  management_apiserver_etcd_in_use_bytes: [
    'Size of what etcd holds, with its history, in bytes.',
    ({ inUseBytes }) => inUseBytes,
  ],
  management_apiserver_etcd_quota_bytes: [
    'Size of the database file at which etcd takes no more writes, in bytes. etcd tells it since 3.6.',
    ({ quotaBytes }) => quotaBytes,
  ],
  management_apiserver_etcd_full: [
    'Whether etcd takes no writes, because its quota was used up (its alarm NOSPACE): 1, or 0.',
    ({ full }) => Number(full),
  ],
};

export function exposeEtcdSpace(registry: Registry, source: EtcdSpaceSource): void {
  for (const [name, [help, valueOf]] of Object.entries(GAUGES)) {
    const series = (): CountSeries[] => {
      const space = source();
      const value = space && valueOf(space);
      return value === undefined ? [] : [{ labels: {}, value }];
    };
    exposeGauges(registry, name, help, series, 'max');
  }
}
