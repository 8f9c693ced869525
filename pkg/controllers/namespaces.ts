import { clusterScoped } from '../../api/resource.js';
import { resourceOf, type CachedObject, type ControllerContext, type ResourceClient } from './interface.js';
import { Namespace } from '../../api/core/v1/namespace.js';

/**
 * Enqueues each active namespace when the object `name` of `resource` in it may have changed: for controllers
 * that keep one object in each namespace.
 */
export function followActiveNamespaces(
  { client, follow, enqueue }: ControllerContext,
  resource: ResourceClient,
  name: string,
): void {
  const namespaces = resourceOf(client, Namespace);
  const isActive = (namespace: CachedObject): boolean =>
    namespace.object().metadata.deletionTimestamp === undefined;
  follow(namespaces, {
    replaced() {
      for (const namespace of namespaces.list('')) if (isActive(namespace)) enqueue(namespace.name);
    },
    changed(namespace) {
      if (isActive(namespace)) enqueue(namespace.name);
    },
    deleted: () => undefined,
  });
  follow(resource, {
    replaced: () => undefined,
    changed: (object) => {
      if (object.name === name) enqueue(object.namespace);
    },
    deleted: (object) => {
      if (object.name === name) enqueue(object.namespace);
    },
  });
}

/** Whether a namespace accepts new objects, by the cache. */
export function isActiveNamespace({ client }: ControllerContext, name: string): boolean {
  const namespace = resourceOf(client, Namespace).cached(clusterScoped(name))?.object();
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}
