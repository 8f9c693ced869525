/** Keeps how full etcd is for the metrics, and logs when it takes no writes any more. */
import type { ConnectionListener } from '../../../pkg/storage/etcd/client.js';
import type { Operations } from './telemetry.js';

export function followSpace({
  state,
  log,
}: Pick<Operations, 'state' | 'log'>): NonNullable<ConnectionListener['space']> {
  return (space) => {
    const wasFull = state.etcdSpace?.full === true;
    state.etcdSpace = space;
    if (space.full && !wasFull)
      log.error(
        space,
        'etcd takes no writes, because its quota was used up: run management-apiserver store free-space',
      );
    if (!space.full && wasFull) log.info(space, 'etcd takes writes again');
  };
}
