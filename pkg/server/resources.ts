import type { ResourceDefinition } from '../../api/resource.js';
import type { VirtualResourceStore } from '../registry/virtualresource.js';
import type { ResourceStore } from '../registry/generic/resourcestore.js';
import type { ResourceRequest } from './requestinfo.js';

type ResourcePath = Pick<ResourceRequest, 'group' | 'version' | 'resource'>;

/** The kinds of this server, found by what a path names. */
export interface ResourceStores {
  /** Those that have a path of their own. */
  readonly definitions: readonly ResourceDefinition[];
  servesGroup(this: void, group: string): boolean;
  find(request: ResourcePath): ResourceStore | undefined;
  /** The kind that is only answered there, if it is one. */
  findRequest(request: ResourcePath & Pick<ResourceRequest, 'subresource'>): VirtualResourceStore | undefined;
}

export function resourceStores(
  stores: readonly ResourceStore[],
  requests: readonly VirtualResourceStore[] = [],
): ResourceStores {
  const byName = new Map(stores.map((store) => [nameOf(store.definition), store]));
  const requestsByName = new Map(requests.map((request) => [requestName(request), request]));
  const own = requests.filter(({ below }) => below === undefined);
  const definitions = [...stores, ...own].map(({ definition }) => definition);
  const groups = new Set(definitions.map(({ group }) => group));
  return {
    definitions,
    servesGroup: (group) => groups.has(group),
    find: ({ group, version, resource }) => byName.get(`${group}/${version}/${resource}`),
    findRequest: ({ group, version, resource, subresource }) =>
      requestsByName.get(`${group}/${version}/${resource}/${subresource}`),
  };
}

const nameOf = ({ group, version, plural }: ResourceDefinition): string => `${group}/${version}/${plural}`;

function requestName({ definition, below }: VirtualResourceStore): string {
  return below === undefined ? `${nameOf(definition)}/` : `${nameOf(below.definition)}/${below.subresource}`;
}
