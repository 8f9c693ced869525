import { clusterController } from './cluster/cluster.js';
import { clusterSecretSyncController } from './clustersecrets/clustersecrets.js';
import { accessRulesController } from './accessrules/accessrules.js';
import { clusterRoleAggregationController } from './clusterroleaggregation/clusterroleaggregation.js';
import { garbageCollectorController } from './garbagecollector/garbagecollector.js';
import { hostLabelsController } from './hostlabels/hostlabels.js';
import type { Controller } from './interface.js';
import { orphanedObjectsController } from './orphanedobjects/orphanedobjects.js';
import { namespaceController } from './namespace/namespace.js';
import { projectController } from './project/project.js';
import { reaperController } from './reaper/reaper.js';
import { rootCaController } from './rootca/rootca.js';
import { secretSyncController } from './secretsync/secretsync.js';
import { serviceAccountController } from './serviceaccount/serviceaccount.js';
import { spaceProvisionerController } from './spaceprovisioner/spaceprovisioner.js';
import { userTeamsController } from './userteams/userteams.js';
import { virtualClusterBindingController } from './virtualclusterbindings/virtualclusterbindings.js';

/** Every controller that `--controllers` can name. */
export const CONTROLLERS: readonly Controller[] = [
  namespaceController,
  serviceAccountController,
  rootCaController,
  garbageCollectorController,
  clusterRoleAggregationController,
  reaperController,
  clusterController,
  userTeamsController,
  hostLabelsController,
  secretSyncController,
  clusterSecretSyncController,
  projectController,
  spaceProvisionerController,
  accessRulesController,
  virtualClusterBindingController,
  orphanedObjectsController,
];
