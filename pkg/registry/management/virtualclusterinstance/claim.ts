/** A virtual cluster is one instance's at most: who has it is kept in a record of its own, written with the instance. */
import type { VirtualClusterInstance as Instance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { conflict, quote } from '../../../apimachinery/errors.js';
import type { Change, TransactionObjects, Effects } from '../../transaction/effects.js';

const CLAIMS = 'private/virtualclusterclaim/';

/** Throws StatusError 409 where another instance has the virtual cluster. */
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

/** The key of the record; undefined for an instance that is nowhere yet. */
function claimOf(instance: Instance | undefined): string | undefined {
  const { cluster, namespace, virtualCluster } = instance?.spec?.clusterRef ?? {};
  if (!cluster || !namespace || !virtualCluster) return undefined;
  return `${CLAIMS}${cluster}/${namespace}/${virtualCluster}`;
}

/** Whose it is stays unsaid. */
function taken(instance: Instance): Error {
  const { cluster = '', namespace, virtualCluster } = instance.spec?.clusterRef ?? {};
  const which = `virtual cluster ${quote(virtualCluster ?? '')} in namespace ${quote(namespace ?? '')} of cluster ${quote(cluster)}`;
  return conflict(VirtualClusterInstance, instance.metadata.name ?? '', `${which} is imported already`);
}
