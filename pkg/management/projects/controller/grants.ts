/** The bindings of a project's members, which others may have changed. */
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../../api/resource.js';
import { isMemberBinding } from '../../sharing/managednames.js';
import { projectObjects } from '../objects.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import { resourceOf, type ResourceClient } from '../../../controllers/interface.js';
import type { ManagementContext } from '../../controllercontext.js';
import { RoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import { sameJson } from '../../../registry/object/metadata.js';

/** Repairs differences. The namespace exists. */
export async function repairGrants(
  { client, projectNamespacePrefix }: ManagementContext<'projectNamespacePrefix'>,
  project: Project,
): Promise<void> {
  const { namespace, roleBindings } = projectObjects(project, projectNamespacePrefix);
  const within = namespace.metadata.name ?? '';
  const bindings = resourceOf(client, RoleBinding);
  const there = [...bindings.list(within)].map(({ name }) => name).filter(isMemberBinding);
  await repair(bindings, within, there, roleBindings);
}

/** `there`: names of objects that belong to the server if they exist. */
async function repair(
  resource: ResourceClient,
  namespace: string,
  there: readonly string[],
  wanted: readonly KubeObject[],
): Promise<void> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  for (const name of there)
    if (!names.has(name) && resource.cached({ namespace, name }) !== undefined)
      await ignoring([404], resource.delete({ namespace, name }, {}));
  for (const object of wanted) {
    const name = object.metadata.name ?? '';
    const found = resource.cached({ namespace, name })?.object();
    if (found !== undefined && grantsSame(found, object)) continue;
    if (found !== undefined && sameJson(found.roleRef, object.roleRef)) {
      const { subjects } = object;
      const change = (copy: KubeObject): KubeObject => ({
        ...copy,
        ...(subjects !== undefined && { subjects }),
      });
      await ignoring([404], resource.update({ namespace, name }, change));
      continue;
    }
    // The role of a binding is immutable.
    if (found !== undefined) await ignoring([404], resource.delete({ namespace, name }, {}));
    await ignoring([404, 409], resource.create(namespace, structuredClone(object)));
  }
}

const grantsSame = (a: KubeObject, b: KubeObject): boolean =>
  sameJson(a.roleRef, b.roleRef) && sameJson(a.subjects, b.subjects);
