/** What spaces and virtual clusters have in common. */
import type { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { KubeObject } from '../../../api/resource.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../object/columns.js';
import type { Strategy } from '../strategy.js';
import { descriptionColumn, displayNameColumn, textColumn } from './columns.js';
import { fillClusterRef, keepClusterRef } from './clusterref.js';
import { validateInstance, validateInstanceUpdate } from './instancevalidation.js';
import { giveOwner, keepOwner, ownerColumn } from './owner.js';

/** A SpaceInstance is one but for what only virtual clusters have. */
export type Instance = VirtualClusterInstance;

const refOf = (object: KubeObject) => (object as Instance).spec?.clusterRef ?? {};
const statusOf = (object: KubeObject) => (object as Instance).status ?? {};

/**
 * Instances belong to their creator, and stay in the place in a cluster that was once chosen.
 * `noun`: what the instance is called: `space`. `hasVirtualCluster`: whether clusterRef names one.
 */
export function instanceStrategy(noun: string, hasVirtualCluster: boolean): Strategy {
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
    prepareForCreate(object, { requester }) {
      giveOwner(object, requester.name);
      fillClusterRef(object as Instance, hasVirtualCluster);
      object.status = firstStatus(object as Instance);
    },
    prepareForUpdate(next, previous) {
      keepOwner(next, previous);
      keepClusterRef(next as Instance, previous as Instance);
      fillClusterRef(next as Instance, hasVirtualCluster);
    },
    validate: (object) => validateInstance(object as Instance),
    validateUpdate: (next, previous) => validateInstanceUpdate(next as Instance, previous as Instance),
  };
}

/** Without a cluster there is nothing that would make the instance. */
function firstStatus(instance: Instance): Instance['status'] {
  if ((refOf(instance).cluster ?? '') !== '') return { phase: 'Pending' };
  return { phase: 'Pending', reason: 'NoProvisioner', message: 'no cluster is named in spec.clusterRef' };
}
