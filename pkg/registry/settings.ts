import type { RolesFor } from '../management/access/accessroles.js';

/** Settings of the operator that kinds depend on. The same for all servers of a store. */
export interface Settings {
  /** The prefix of the namespaces of projects. */
  readonly projectNamespacePrefix: string;
  /** The only ClusterRoles that members of projects may have; absent: any. */
  readonly memberRoles?: readonly string[];
  /**
   * At an aggregated server: the rights that become roles at the host, by its current state. Unless it is
   * `everybody`, a controller writes the roles, and commits do not. Absent: the rights of access rules, written in
   * the commit of the object.
   *
   * Writing roles in commits (with `hosttransaction/narrowed.ts`, the writes and removals of `hosttransaction/` other
   * than of namespaces, and `controllers/accessrules/hostgrant.ts`) supports upgrades from servers that let the host
   * authorize by roles, and `requests.everybody: never`. It is removed with that value, in the second release that
   * has the grant; from then on, older releases must first upgrade to the first such release.
   */
  readonly rolesAtHost?: () => RolesFor;
  /** The only group whose objects quotas of projects may count by name; absent: any. */
  readonly countedGroup?: string;
}

export const DEFAULT_SETTINGS: Settings = { projectNamespacePrefix: 'loft-p-' };
