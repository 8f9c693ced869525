import { clusterLoop } from './cluster/cluster.js';
import { accessRulesLoop } from './accessrules/accessrules.js';
import { clusterRoleAggregationLoop } from './clusterroleaggregation/clusterroleaggregation.js';
import { garbageCollectorLoop } from './garbagecollector/garbagecollector.js';
import { hostLabelsLoop } from './hostlabels/hostlabels.js';
import type { Loop } from './interface.js';
import { lostObjectsLoop } from './orphanedobjects/orphanedobjects.js';
import { namespaceLoop } from './namespace/namespace.js';
import { projectLoop } from './project/project.js';
import { reaperLoop } from './reaper/reaper.js';
import { rootCaLoop } from './rootca/rootca.js';
import { secretSyncLoop } from './secretsync/secretsync.js';
import { serviceAccountLoop } from './serviceaccount/serviceaccount.js';
import { spaceProvisionerLoop } from './spaceprovisioner/spaceprovisioner.js';
import { userTeamsLoop } from './userteams/userteams.js';
import { virtualClusterBindingLoop } from './virtualclusterbindings/virtualclusterbindings.js';

/** Every loop that `--controllers` can name. */
export const LOOPS: readonly Loop[] = [
  namespaceLoop,
  serviceAccountLoop,
  rootCaLoop,
  garbageCollectorLoop,
  clusterRoleAggregationLoop,
  reaperLoop,
  clusterLoop,
  userTeamsLoop,
  hostLabelsLoop,
  secretSyncLoop,
  projectLoop,
  spaceProvisionerLoop,
  accessRulesLoop,
  virtualClusterBindingLoop,
  lostObjectsLoop,
];
