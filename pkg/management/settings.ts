/** Settings of the operator that kinds depend on. The same for all servers of a store. */
import { PROJECT_ROLES } from './projects/roles.js';

export interface Settings {
  /** The prefix of the namespaces of projects. */
  readonly projectNamespacePrefix: string;
  /** The only ClusterRoles that members of projects may have; absent: any. */
  readonly memberRoles?: readonly string[];
  /**
   * Whether roles are objects of another API server, which grant nothing here. Commits then write none, as every
   * authenticated user may send requests for our kinds; a controller writes those of objects in namespaces.
   */
  readonly rolesElsewhere?: true;
  /** The only group whose objects quotas of projects may count by name; absent: any. */
  readonly countedGroup?: string;
}

export const DEFAULT_SETTINGS: Settings = { projectNamespacePrefix: 'loft-p-' };

/** At the host, this server may bind only these ClusterRoles, and does not see when objects are created. */
export const behindHost = (settings: Settings): Settings => ({
  ...settings,
  memberRoles: PROJECT_ROLES,
  countedGroup: 'management.svc.example',
  rolesElsewhere: true,
});

/** The settings that a registry was opened with. */
export const settingsOf = ({ settings }: { readonly settings: object }): Settings =>
  isOurs(settings) ? settings : DEFAULT_SETTINGS;

const isOurs = (settings: object): settings is Settings => 'projectNamespacePrefix' in settings;
