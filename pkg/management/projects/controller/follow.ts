import { clusterScoped } from '../../../../api/resource.js';
import { projectOfNamespace } from '../names.js';
import { isMemberBinding } from '../../sharing/managednames.js';
import { resourceOf, type CachedObject, type ResourceClient } from '../../../controllers/interface.js';
import type { ManagementContext } from '../../controllercontext.js';
import { ORPHAN_MS, IN_FLIGHT_MS, orphanKey } from '../../sharing/controller/orphanedroles.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { Namespace } from '../../../../api/core/v1/namespace.js';
import { RoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';

/** Enqueues the name of each project that may have changed, and rights of deleted projects. */
export function followProjects({
  client,
  follow,
  enqueue,
  projectNamespacePrefix,
}: ManagementContext<'projectNamespacePrefix'>): void {
  const projects = resourceOf(client, Project);
  follow(projects, {
    replaced() {
      for (const project of projects.list('')) enqueue(project.name);
    },
    changed: ({ name }) => enqueue(name),
    deleted: () => undefined,
  });
  const look = (name: string | undefined, afterMs = 0): void => {
    if (name !== undefined && projects.cached(clusterScoped(name)) !== undefined) enqueue(name, afterMs);
  };
  const ofNamespace = ({ name }: CachedObject): void =>
    look(projectOfNamespace(projectNamespacePrefix, name));
  follow(resourceOf(client, Namespace), {
    replaced: () => undefined,
    changed: ofNamespace,
    deleted: ofNamespace,
  });
  const followGrants = (grants: ResourceClient): void => {
    const afterMs = grants.foreign === true ? IN_FLIGHT_MS : 0;
    const changed = (grant: CachedObject): void => {
      const name = projectOfGrant(projectNamespacePrefix, grant);
      look(name, afterMs);
      if (name !== undefined && grants.foreign === true && projects.cached(clusterScoped(name)) === undefined)
        enqueue(orphanKey(grants, grant), ORPHAN_MS);
    };
    follow(grants, {
      replaced() {
        if (grants.foreign === true) for (const grant of grants.list('')) changed(grant);
      },
      changed,
      deleted: (grant) => look(projectOfGrant(projectNamespacePrefix, grant), afterMs),
    });
  };
  followGrants(resourceOf(client, RoleBinding));
}

/**
 * The project, existing or not, whose members get rights by a binding; undefined: none. `prefix`: of its
 * namespace.
 */
export function projectOfGrant(
  prefix: string,
  { namespace, name }: Pick<CachedObject, 'namespace' | 'name'>,
): string | undefined {
  return isMemberBinding(name) ? projectOfNamespace(prefix, namespace) : undefined;
}
