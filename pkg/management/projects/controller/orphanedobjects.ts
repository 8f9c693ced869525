/**
 * Removes objects that were created in a namespace of another API server after its deletion: that server's
 * cache was stale, and it does not check the namespace again.
 */
import { clusterScoped } from '../../../../api/resource.js';
import { projectNamespace, projectOfNamespace } from '../names.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import {
  resourceOf,
  type CachedObject,
  type ResourceClient,
  type ControllerContext,
} from '../../../controllers/interface.js';
import type { ManagementController, ManagementContext } from '../../controllercontext.js';
import { uidOf } from '../../../controllers/target.js';
import { Namespace } from '../../../../api/core/v1/namespace.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';

/** The age of an object, and of the absence of a namespace, before it is checked. */
const GRACE_MS = 60_000;
/** A namespace that every API server has: one that does not list it gives no reliable answer. */
const ALWAYS_THERE = 'kube-system';

export const orphanedObjectsController: ManagementController<'projectNamespacePrefix'> = {
  name: 'lost-objects-controller',
  user: 'lost-objects-controller',
  workers: 1,
  start(context) {
    followPlaces(context);
    return { reconcile: (namespace) => sweep(context, namespace) };
  },
};

const ownResources = ({ client }: ControllerContext): ResourceClient[] =>
  client.resources.filter(({ definition, foreign }) => definition.namespaced && foreign !== true);

const namespacesOf = ({ client }: ControllerContext): ResourceClient => resourceOf(client, Namespace);

const projectsOf = ({ client }: ControllerContext): ResourceClient => resourceOf(client, Project);

/** Enqueues absent namespaces that may have content. */
function followPlaces(context: ManagementContext<'projectNamespacePrefix'>): void {
  const { follow, enqueue, projectNamespacePrefix } = context;
  const namespaces = namespacesOf(context);
  const resources = ownResources(context);
  const look = ({ namespace }: CachedObject): void => {
    if (namespaces.cached(clusterScoped(namespace)) === undefined) enqueue(namespace, GRACE_MS);
  };
  const lookAll = (): void => {
    for (const resource of resources) for (const object of resource.list('')) look(object);
  };
  follow(namespaces, {
    replaced: lookAll,
    changed: () => undefined,
    deleted: ({ name }) => enqueue(name, GRACE_MS),
  });
  follow(projectsOf(context), {
    replaced: () => undefined,
    changed: () => undefined,
    deleted: ({ name }) => enqueue(projectNamespace(projectNamespacePrefix, name), GRACE_MS),
  });
  for (const resource of resources)
    follow(resource, { replaced: lookAll, changed: look, deleted: () => undefined });
}

/** Throws if the existence of the namespace is uncertain. */
async function sweep(context: ManagementContext<'projectNamespacePrefix'>, namespace: string): Promise<void> {
  const { enqueue, log, now } = context;
  if (isExpected(context, namespace)) return;
  const lost = ownResources(context).flatMap((resource) =>
    [...resource.list(namespace)].map((entry) => ({ resource, entry })),
  );
  if (lost.length === 0 || !(await isGone(namespacesOf(context), namespace))) return;
  for (const { resource, entry } of lost) {
    const object = entry.object();
    const { creationTimestamp = '', deletionTimestamp } = object.metadata;
    const age = now() - Date.parse(creationTimestamp);
    if (age < GRACE_MS) enqueue(namespace, GRACE_MS - age);
    if (!(age >= GRACE_MS) || deletionTimestamp !== undefined) continue;
    await ignoring([404, 409], resource.delete({ namespace, name: entry.name }, { uid: uidOf(object) }));
    const { plural } = resource.definition;
    log.warn({ resource: plural, namespace, name: entry.name }, 'removed, as its namespace is not there');
  }
}

/** The namespace of a project is recreated when it is deleted. */
function isExpected(context: ManagementContext<'projectNamespacePrefix'>, namespace: string): boolean {
  if (namespacesOf(context).cached(clusterScoped(namespace)) !== undefined) return true;
  const project = projectOfNamespace(context.projectNamespacePrefix, namespace);
  return project !== undefined && projectsOf(context).cached(clusterScoped(project)) !== undefined;
}

async function isGone(namespaces: ResourceClient, name: string): Promise<boolean> {
  if (namespaces.followed?.() !== true) throw new Error('the namespaces of the host are not followed');
  const [always, live] = await Promise.all([
    namespaces.live(clusterScoped(ALWAYS_THERE)),
    namespaces.live(clusterScoped(name)),
  ]);
  if (always === undefined) throw new Error('the host does not show its namespaces');
  return live === undefined && namespaces.cached(clusterScoped(name)) === undefined;
}
