import type { RolesFor } from '../apimachinery/access/accessroles.js';

/** What the operator set, as far as kinds depend on it. The same for all servers of a store. */
export interface Settings {
  /** What the namespaces of projects begin with. */
  readonly projectNamespacePrefix: string;
  /** The only ClusterRoles that members of projects may have; absent: any. */
  readonly memberRoles?: readonly string[];
  /** Which rights on objects become roles; absent: those of access rules. Behind another API server, which asks its roles, all. */
  readonly rolesFor?: RolesFor;
  /** The only group of which quotas of projects may count objects, by their names; absent: any. */
  readonly countedGroup?: string;
}

export const DEFAULT_SETTINGS: Settings = { projectNamespacePrefix: 'loft-p-' };
