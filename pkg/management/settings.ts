/** Settings of the operator that kinds depend on. The same for all servers of a store. */
import type { RegistryOptions } from '../registry/registry.js';
import type { HostStorages } from '../storage/host/storages.js';
import { PROJECT_HELD_ANNOTATION } from './projects/names.js';
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
  /** Whether a verified e-mail address connects a login to the User with it: then whoever sets the address gives it a login. */
  readonly linkVerifiedEmail?: boolean;
  /** The only group whose objects quotas of projects may count by name; absent: any. */
  readonly countedGroup?: string;
}

export const DEFAULT_SETTINGS: Settings = { projectNamespacePrefix: 'loft-p-' };

/** How a registry is opened whose namespaces, roles and bindings are stored in the API server of a host. */
export const behindHost = (
  settings: Settings,
  host: HostStorages,
): Required<Pick<RegistryOptions, 'host' | 'ownersAnnotation'>> & { readonly settings: Settings } => ({
  host,
  ownersAnnotation: PROJECT_HELD_ANNOTATION,
  // At the host, this server may bind only these ClusterRoles, and does not see when objects are created.
  settings: {
    ...settings,
    memberRoles: PROJECT_ROLES,
    countedGroup: 'management.svc.example',
    rolesElsewhere: true,
  },
});

/** The settings that a registry was opened with. */
export const settingsOf = ({ settings }: { readonly settings: object }): Settings =>
  isOurs(settings) ? settings : DEFAULT_SETTINGS;

const isOurs = (settings: object): settings is Settings => 'projectNamespacePrefix' in settings;
