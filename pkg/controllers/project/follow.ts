import { projectOfNamespace } from '../../apimachinery/projects/names.js';
import { isMemberBinding, projectOfMembersRole } from '../../apimachinery/projects/objects.js';
import type { CachedObject, LoopContext } from '../interface.js';
import { resourceOf } from '../interface.js';

const RBAC = 'rbac.authorization.k8s.io';

/** Enqueues the name of each project that something may have happened to. */
export function followProjects({ client, follow, enqueue, projectNamespacePrefix }: LoopContext): void {
  const projects = resourceOf(client, 'management.svc.example', 'projects');
  const look = (name: string | undefined): void => {
    if (name !== undefined && projects.cached('', name) !== undefined) enqueue(name);
  };
  const of = (group: string, plural: string, project: (object: CachedObject) => string | undefined): void => {
    const changed = (object: CachedObject): void => look(project(object));
    follow(resourceOf(client, group, plural), { replaced: () => undefined, changed, deleted: changed });
  };
  follow(projects, {
    replaced() {
      for (const project of projects.list('')) enqueue(project.name);
    },
    changed: ({ name }) => enqueue(name),
    deleted: () => undefined,
  });
  of('', 'namespaces', ({ name }) => projectOfNamespace(projectNamespacePrefix, name));
  of(RBAC, 'rolebindings', ({ namespace, name }) =>
    isMemberBinding(name) ? projectOfNamespace(projectNamespacePrefix, namespace) : undefined,
  );
  of(RBAC, 'clusterroles', ({ name }) => projectOfMembersRole(name));
  of(RBAC, 'clusterrolebindings', ({ name }) => projectOfMembersRole(name));
}
