import type { RolesFor } from '../management/access/accessroles.js';

/** What the operator set, as far as kinds depend on it. The same for all servers of a store. */
export interface Settings {
  /** What the namespaces of projects begin with. */
  readonly projectNamespacePrefix: string;
  /** The only ClusterRoles that members of projects may have; absent: any. */
  readonly memberRoles?: readonly string[];
  /**
   * Behind another API server, which rights on objects become roles there as it is now: where not everybody's, a loop writes them
   * and no commit does. Absent: those of access rules, in the commit of the object.
   *
   * That commits write roles there (with `hosttransaction/narrowed.ts`, the puts and removals of `hosttransaction/` that are
   * not of namespaces, and `controllers/accessrules/hostgrant.ts`) is for upgrades from servers that let the host decide by
   * roles, and for `requests.everybody: never`. It goes with that value, in the second release that has the grant: from then
   * on an upgrade from before it takes a step over the first.
   */
  readonly rolesAtHost?: () => RolesFor;
  /** The only group of which quotas of projects may count objects, by their names; absent: any. */
  readonly countedGroup?: string;
}

export const DEFAULT_SETTINGS: Settings = { projectNamespacePrefix: 'loft-p-' };
