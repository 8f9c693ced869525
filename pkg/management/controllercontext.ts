/** What the controllers of the product get besides their client. */
import type { VirtualClusterInstance } from '../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { Controller, ControllerContext } from '../controllers/interface.js';
import type { Expiry } from '../controllers/reaper/expiry.js';
import type { ClusterClient, Connection } from './clusters/client/interface.js';
import type { VirtualClusterBindings } from './instances/virtualclusterbindings/interface.js';
import type { ClusterRights } from './clusters/clusterrights.js';
import type { MirrorRights } from './projectsecrets/mirrorrights.js';
import type { SyncRights } from './clustersecrets/syncrights.js';

/** Connections to the API servers of virtual clusters. */
export interface VirtualClusters {
  /** The caller closes it. Rejects with StatusError 400, 404, 504. */
  connect(instance: VirtualClusterInstance): Promise<Connection>;
}

/** The settings of the server and the operator, the same for all controllers. */
export interface ManagementSettings {
  /** PEM of the authority that signs the server's certificate. */
  readonly authority: string;
  /** Connected clusters. */
  readonly clusters: ClusterClient;
  readonly mirrorRights: Pick<MirrorRights, 'follow' | 'forget' | 'check'>;
  readonly clusterRights: Pick<ClusterRights, 'follow' | 'forget' | 'watch'>;
  readonly syncRights: Pick<SyncRights, 'follow' | 'forget' | 'check'>;
  readonly virtualClusterBindings: VirtualClusterBindings;
  readonly virtualClusters: VirtualClusters;
  /** The prefix of the namespaces of projects. */
  readonly projectNamespacePrefix: string;
  /** When objects expire. */
  readonly expiries: readonly Expiry[];
}

/** The context of a controller that needs these settings. */
export type ManagementContext<K extends keyof ManagementSettings> = ControllerContext &
  Pick<ManagementSettings, K>;
export type ManagementController<K extends keyof ManagementSettings = keyof ManagementSettings> = Controller<
  Pick<ManagementSettings, K>
>;
