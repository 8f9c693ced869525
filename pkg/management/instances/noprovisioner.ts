/** Instances that nothing creates: why, and what to do. */
import type { Condition } from '../../../api/meta/v1/condition.js';
import type { Instance } from '../asinstance.js';
import { IMPORTED_ANNOTATION } from '../projects/names.js';

/** The reason in the status and in the condition `Ready`. */
export const NO_PROVISIONER = 'NoProvisioner';

export const NO_CLUSTER =
  'no cluster is named in spec.clusterRef: set spec.clusterRef.cluster to one that the project allows; if it allows none, allow one with "platform allow cluster NAME --project PROJECT"';

export const noSuchCluster = (cluster: string): string =>
  `there is no cluster ${cluster}: connect it, or delete this and create it on another cluster`;

export const unusableCluster = (cluster: string): string =>
  `nothing new is put on cluster ${cluster}: set its spec.unusable to false, or delete this and create it on another cluster`;

const NO_VIRTUAL_CLUSTERS =
  'this server creates no virtual clusters: delete this, create the virtual cluster in a connected cluster with its own tools, and import it with "platform import vcluster"';

/**
 * The first status of an instance. The controller of spaces changes it; virtual clusters stay as they are, unless they
 * were imported, or a controller of somebody else writes their status.
 */
export function firstStatus(
  instance: Instance,
  isVirtualCluster: boolean,
  now: string,
): NonNullable<Instance['status']> {
  const message = isVirtualCluster ? NO_VIRTUAL_CLUSTERS : NO_CLUSTER;
  const { cluster = '' } = instance.spec?.clusterRef ?? {};
  const isImported = instance.metadata.annotations?.[IMPORTED_ANNOTATION] === 'true';
  if (isVirtualCluster ? isImported : cluster !== '') return { phase: 'Pending' };
  const ready: Condition = {
    type: 'Ready',
    status: 'False',
    lastTransitionTime: now,
    reason: NO_PROVISIONER,
    message,
  };
  return { phase: 'Pending', reason: NO_PROVISIONER, message, conditions: [ready] };
}
