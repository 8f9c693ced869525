/** Settings of the operator that kinds depend on. The same for all servers of a store. */
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
