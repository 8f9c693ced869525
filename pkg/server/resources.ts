import { isKind, type ObjectOf, type ResourceDefinition } from '../../api/resource.js';
import type { VirtualResourceStore } from '../registry/virtualresource.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import type { ResourceRequest } from './requestinfo.js';

type ResourcePath = Pick<ResourceRequest, 'group' | 'version' | 'resource'>;

/** The kinds of this server by path. */
export interface ResourceStores {
  /** Kinds with a path of their own. */
  readonly definitions: readonly ResourceDefinition[];
  servesGroup(this: void, group: string): boolean;
  find(request: ResourcePath): ResourceStore | undefined;
  /** The kind that is only answered there, if it is one. */
  findRequest(
    request: ResourcePath & Pick<ResourceRequest, 'subresource' | 'verb'>,
  ): VirtualResourceStore | undefined;
}

export function resourceStores(
  stores: readonly ResourceStore[],
  requests: readonly VirtualResourceStore[] = [],
): ResourceStores {
  const find = byPlural(stores, ({ definition }) => definition);
  const findRequest = byPlural(requests, ({ definition, below }) => below?.definition ?? definition);
  const own = requests.filter(({ below, stored }) => below === undefined && stored !== true);
  const definitions = [...stores, ...own].map(({ definition }) => definition);
  const groups = new Set(definitions.map(({ group }) => group));
  return {
    definitions,
    servesGroup: (group) => groups.has(group),
    find: (request) => find(request, () => true),
    findRequest: (request) =>
      findRequest(
        request,
        ({ below, stored }) =>
          (below?.subresource ?? '') === request.subresource &&
          (stored !== true || request.verb === 'create'),
      ),
  };
}

/** An object by its name, or `namespace/name`, as the cache has it now. */
export function newestObject<D extends ResourceDefinition>(
  stores: ResourceStores,
  kind: D,
  path: string,
): ObjectOf<D> | undefined {
  const { group, version, plural: resource } = kind;
  const found = stores.find({ group, version, resource })?.cache.latest().get(path)?.object();
  return found && isKind(kind, found) ? found : undefined;
}

/** Every request is looked up several times: without making a text of its three parts each time. */
function byPlural<T>(all: readonly T[], definitionOf: (one: T) => ResourceDefinition) {
  const known = new Map<string, readonly T[]>();
  for (const one of all) {
    const { plural } = definitionOf(one);
    known.set(plural, [...(known.get(plural) ?? []), one]);
  }
  return ({ group, version, resource }: ResourcePath, fits: (one: T) => boolean): T | undefined => {
    for (const one of known.get(resource) ?? []) {
      const definition = definitionOf(one);
      if (definition.group === group && definition.version === version && fits(one)) return one;
    }
    return undefined;
  };
}
