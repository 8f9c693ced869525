import type { ResourceDefinition } from '../../../api/resource.js';
import { aggregatedCore, aggregatedGroups, type GroupDiscoveryList } from './aggregated.js';
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type ApiGroup,
  type ApiGroupList,
  type ApiResourceList,
  type ApiVersions,
} from './legacy.js';

/** All discovery documents of a fixed set of kinds. Each is computed once. */
export interface DiscoveryDocuments {
  /** `/api`; undefined if the core group is not served. */
  readonly apiVersions: ApiVersions | undefined;
  /** `/apis`. */
  readonly groupList: ApiGroupList;
  readonly aggregatedCore: GroupDiscoveryList;
  readonly aggregatedGroups: GroupDiscoveryList;
  /** `/apis/<group>`. */
  group(name: string): ApiGroup | undefined;
  /** `/apis/<group>/<version>`; the core group is `''`. */
  resourceList(group: string, version: string): ApiResourceList | undefined;
}

/** `serverAddress`: `host:port` for clients, in the document of `/api`. */
export function discoveryDocuments(
  definitions: readonly ResourceDefinition[],
  serverAddress = '',
): DiscoveryDocuments {
  const groups = new Map(definitions.map(({ group }) => [group, apiGroup(definitions, group)]));
  const lists = new Map(
    definitions.map(({ group, version }) => [
      `${group}/${version}`,
      apiResourceList(definitions, group, version),
    ]),
  );
  return {
    apiVersions: apiVersions(definitions, serverAddress),
    groupList: apiGroupList(definitions),
    aggregatedCore: aggregatedCore(definitions),
    aggregatedGroups: aggregatedGroups(definitions),
    group: (name) => groups.get(name),
    resourceList: (group, version) => lists.get(`${group}/${version}`),
  };
}
