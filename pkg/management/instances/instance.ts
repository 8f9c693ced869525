/** The common strategy of spaces and virtual clusters. */
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy } from '../../registry/strategy.js';
import { descriptionColumn, displayNameColumn, textColumn } from '../columns.js';
import { fillClusterRef, keepClusterRef } from './clusterref.js';
import { firstStatus } from './noprovisioner.js';
import { validateInstance, validateInstanceUpdate } from './instancevalidation.js';
import { giveOwner, keepOwner, ownerColumn } from '../sharing/owner.js';
import type { Instance } from '../asinstance.js';

const refOf = (object: Instance) => object.spec?.clusterRef ?? {};
const statusOf = (object: Instance) => object.status ?? {};

/**
 * Instances are owned by their creator by default, and keep their place in a cluster. `noun`: the name of the kind:
 * `space`. `hasVirtualCluster`: whether clusterRef names a virtual cluster.
 */
export function instanceStrategy(noun: string, hasVirtualCluster: boolean): Strategy<Instance> {
  return {
    generation: true,
    columns: [
      displayNameColumn,
      textColumn('Cluster', `The cluster that the ${noun} is on.`, (object) => refOf(object).cluster ?? ''),
      textColumn('Phase', `How far the ${noun} is.`, (object) => statusOf(object).phase ?? ''),
      textColumn('Reason', 'Why it is in this phase.', (object) => statusOf(object).reason ?? '', 1),
      ownerColumn(noun),
      ageColumn(humanAge),
      descriptionColumn,
    ],
    prepareForCreate(object, { requester, now }) {
      giveOwner(object, requester.name);
      fillClusterRef(object, hasVirtualCluster);
      object.status = firstStatus(object, hasVirtualCluster, now);
    },
    prepareForUpdate(next, previous) {
      keepOwner(next, previous);
      keepClusterRef(next, previous);
      fillClusterRef(next, hasVirtualCluster);
    },
    validate: (object) => validateInstance(object),
    validateUpdate: (next, previous) => validateInstanceUpdate(next, previous),
  };
}
