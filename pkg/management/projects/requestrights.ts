/** Checks of requests to projects before they do anything. */
import { clusterScoped, type ResourceDefinition } from '../../../api/resource.js';
import { forbidden, notFound, userCannot } from '../../apimachinery/errors.js';
import { Project as ProjectKind, type Project } from '../../../api/management.svc.example/v1/project.js';
import type { ManagementAnswerContext } from '../services.js';
import { requestFor } from '../../apimachinery/attributes.js';

/** A verb on an object; `name` is `''` for any object of the namespace. */
export interface AskedRight {
  readonly verb: string;
  readonly kind: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** Throws StatusError 403 for the first right that the caller lacks. */
export async function demandRights(
  { user, services }: ManagementAnswerContext,
  rights: readonly AskedRight[],
): Promise<void> {
  for (const { verb, kind, namespace, name } of rights) {
    const attributes = requestFor(verb, kind, { namespace, name });
    const { allowed, reason } = await services.authorize(user, attributes);
    if (allowed) continue;
    const why = userCannot(user.name, attributes);
    throw forbidden(kind, name, reason === '' ? why : `${why}: ${reason}`);
  }
}

/** The project of the path. Throws StatusError 404, also if it is being deleted. */
export async function projectOfPath({ services, name }: ManagementAnswerContext): Promise<Project> {
  const found = await services.objects.live(ProjectKind, clusterScoped(name));
  if (found === undefined || found.metadata.deletionTimestamp !== undefined)
    throw notFound(ProjectKind, name);
  return found;
}

/** Whether instances of a project may be on a cluster. */
export function allowsCluster({ spec }: Project, cluster: string): boolean {
  return (spec?.allowedClusters ?? []).some(({ name }) => name === '*' || name === cluster);
}
