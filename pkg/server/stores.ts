import type { ResourceDefinition } from '../../api/resource.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import type { ResourceRequest } from './requestinfo.js';

/** The kinds of this server, found by what a path names. */
export interface ResourceStores {
  readonly definitions: readonly ResourceDefinition[];
  servesGroup(this: void, group: string): boolean;
  find(request: Pick<ResourceRequest, 'group' | 'version' | 'resource'>): ResourceStore | undefined;
}

export function resourceStores(stores: readonly ResourceStore[]): ResourceStores {
  const byName = new Map(stores.map((store) => [nameOf(store.definition), store]));
  const groups = new Set(stores.map(({ definition }) => definition.group));
  return {
    definitions: stores.map(({ definition }) => definition),
    servesGroup: (group) => groups.has(group),
    find: ({ group, version, resource }) => byName.get(`${group}/${version}/${resource}`),
  };
}

const nameOf = ({ group, version, plural }: ResourceDefinition): string => `${group}/${version}/${plural}`;
