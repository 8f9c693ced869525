/** Claims: private records that keep a virtual cluster from belonging to two instances. */
import {
  VirtualClusterInstance,
  type VirtualClusterInstance as Instance,
} from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { conflict, quote } from '../../../apimachinery/errors.js';
import type { Change, TransactionObjects, Effects } from '../../../registry/transaction/effects.js';

const CLAIMS = 'private/virtualclusterclaim/';

/** Throws StatusError 409 if another instance has the virtual cluster. */
export async function claimEffects(
  { next, previous }: Change<Instance>,
  objects: Pick<TransactionObjects, 'record'>,
): Promise<Effects> {
  const [wanted, had] = [claimOf(next), claimOf(previous)];
  if (wanted === had) return { writes: [], guards: [] };
  const writes = [];
  if (had !== undefined && (await objects.record(had)) !== undefined)
    writes.push({ key: had, expect: 'any' } as const);
  if (wanted !== undefined && next !== undefined) {
    if ((await objects.record(wanted)) !== undefined) throw taken(next);
    const { namespace, name } = next.metadata;
    writes.push({ key: wanted, value: Buffer.from(`${namespace}/${name}`), expect: 'absent' } as const);
  }
  return { writes, guards: [] };
}

/** The key of the claim; undefined for an instance without a place. */
function claimOf(instance: Instance | undefined): string | undefined {
  const { cluster, namespace, virtualCluster } = instance?.spec?.clusterRef ?? {};
  if (!cluster || !namespace || !virtualCluster) return undefined;
  return `${CLAIMS}${cluster}/${namespace}/${virtualCluster}`;
}

/** The error does not name the other instance. */
function taken(instance: Instance): Error {
  const { cluster = '', namespace, virtualCluster } = instance.spec?.clusterRef ?? {};
  const which = `virtual cluster ${quote(virtualCluster ?? '')} in namespace ${quote(namespace ?? '')} of cluster ${quote(cluster)}`;
  return conflict(VirtualClusterInstance, instance.metadata.name ?? '', `${which} is imported already`);
}
