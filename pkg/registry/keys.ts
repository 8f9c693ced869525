import { REGISTRY_PREFIX, type Cache, type ResourceCache } from '../cache/interface.js';
import type { ObjectKey, ObjectOf, ResourceDefinition } from '../../api/resource.js';

/** `management.svc.example/sharedsecrets`, `core/namespaces`. */
export function resourceName(definition: Pick<ResourceDefinition, 'group' | 'plural'>): string {
  return `${definition.group === '' ? 'core' : definition.group}/${definition.plural}`;
}

/** `registry/management.svc.example/sharedsecrets/`. */
export function resourcePrefix(definition: Pick<ResourceDefinition, 'group' | 'plural'>): string {
  return `${REGISTRY_PREFIX}${resourceName(definition)}/`;
}

/** `namespace/name`, or `name` for cluster-scoped kinds. */
export function objectPath(
  definition: Pick<ResourceDefinition, 'namespaced'>,
  { namespace, name }: ObjectKey,
): string {
  return definition.namespaced ? `${namespace}/${name}` : name;
}

const NAMESPACES = resourcePrefix({ group: '', plural: 'namespaces' });

/** The key of a namespace. */
export const namespaceKey = (namespace: string): string => NAMESPACES + namespace;

/** The cache of a kind. Throws RangeError if it is not served. */
export const cacheOf = <D extends ResourceDefinition>(
  cache: Pick<Cache, 'resource'>,
  definition: D,
): ResourceCache<ObjectOf<D>> => cache.resource(resourceName(definition)) as ResourceCache<ObjectOf<D>>;
