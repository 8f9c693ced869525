/** Whether the caller may have a token for a connected cluster. */
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { clusterScoped } from '../../../api/resource.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { forbidden, notFound, quote } from '../../apimachinery/errors.js';
import { projectNamespace } from '../projects/names.js';
import type { ManagementAnswerContext } from '../services.js';

type Caller = Pick<ManagementAnswerContext, 'user' | 'services'>;

/** A token for more instances needs a right to the cluster. */
const MAX_INSTANCES = 16;

/**
 * Throws StatusError 403, whether or not the cluster exists, if the caller may neither `get` nor `use` it, nor `use` each of the
 * instances in it that are all that the scope names; and 404 if there is no such cluster.
 */
export async function checkClusterAccess(
  cluster: string,
  scope: Scope | undefined,
  caller: Caller,
): Promise<void> {
  const { user, services } = caller;
  for (const verb of ['get', 'use']) {
    if (!(await services.authorize(user, requestFor(verb, Cluster, { name: cluster }))).allowed) continue;
    if ((await services.objects.live(Cluster, clusterScoped(cluster))) === undefined)
      throw notFound(Cluster, cluster);
    return;
  }
  if (await usesInstances(cluster, scope, caller)) return;
  const why = `User ${quote(user.name)} can neither get nor use it; a token for a space or a virtual cluster in it, which spec.scope names, needs the verb "use" on it`;
  throw forbidden(Cluster, cluster, why);
}

async function usesInstances(cluster: string, scope: Scope | undefined, caller: Caller): Promise<boolean> {
  const instances = instancesOf(scope);
  if (instances.length === 0 || instances.length > MAX_INSTANCES) return false;
  for (const instance of instances) if (!(await mayUse(instance, cluster, caller))) return false;
  return true;
}

interface Instance {
  readonly kind: typeof SpaceInstance | typeof VirtualClusterInstance;
  readonly project: string;
  readonly name: string;
}

/** All that a scope names; none if it names anything else. */
function instancesOf(scope: Scope | undefined): Instance[] {
  const { spaces = [], virtualClusters = [], projects = [], rules = [] } = scope ?? {};
  if (projects.length > 0 || rules.length > 0) return [];
  return [
    ...spaces.map(({ project = '', space = '' }) => ({ kind: SpaceInstance, project, name: space })),
    ...virtualClusters.map(({ project = '', virtualCluster = '' }) => ({
      kind: VirtualClusterInstance,
      project,
      name: virtualCluster,
    })),
  ];
}

/** A wildcard is no name of an instance. */
async function mayUse(
  { kind, project, name }: Instance,
  cluster: string,
  { user, services }: Caller,
): Promise<boolean> {
  const key = { namespace: projectNamespace(services.projectNamespacePrefix, project), name };
  if (!(await services.authorize(user, requestFor('use', kind, key))).allowed) return false;
  return (await services.objects.live(kind, key))?.spec?.clusterRef?.cluster === cluster;
}
