import { clusterController } from './clusters/controller/controller.js';
import { clusterSecretSyncController } from './clustersecrets/clustersecrets.js';
import { accessRulesController } from './sharing/controller/accessrules.js';
import { clusterRoleAggregationController } from '../controllers/clusterroleaggregation/clusterroleaggregation.js';
import { garbageCollectorController } from '../controllers/garbagecollector/garbagecollector.js';
import { groupRuleController } from './grouprules/controller.js';
import { hostLabelsController } from './instances/hostlabels/hostlabels.js';
import { isIgnoredRole } from './sharing/managednames.js';
import type { ManagementController } from './controllercontext.js';
import { orphanedObjectsController } from './projects/controller/orphanedobjects.js';
import { namespaceController } from '../controllers/namespace/namespace.js';
import { projectController } from './projects/controller/controller.js';
import { reaperController } from '../controllers/reaper/reaper.js';
import { rootCaController } from '../controllers/rootca/rootca.js';
import { secretSyncController } from './projectsecrets/controller/secretsync.js';
import { serviceAccountController } from '../controllers/serviceaccount/serviceaccount.js';
import { serviceAccountTokenController } from '../controllers/serviceaccounttoken/serviceaccounttoken.js';
import { spaceProvisionerController } from './instances/spaceprovisioner/spaceprovisioner.js';
import { userTeamsController } from './people/userteams/userteams.js';
import { virtualClusterBindingController } from './instances/virtualclusterbindings/virtualclusterbindings.js';

/** Every controller that `--controllers` can name. */
export const CONTROLLERS: readonly ManagementController[] = [
  namespaceController,
  serviceAccountController,
  serviceAccountTokenController,
  rootCaController,
  garbageCollectorController,
  // Rights to single objects end with these, and would remain in an aggregated role.
  clusterRoleAggregationController(isIgnoredRole),
  reaperController,
  clusterController,
  userTeamsController,
  groupRuleController,
  hostLabelsController,
  secretSyncController,
  clusterSecretSyncController,
  projectController,
  spaceProvisionerController,
  accessRulesController,
  virtualClusterBindingController,
  orphanedObjectsController,
];
