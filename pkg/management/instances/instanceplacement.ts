/** InstancePlacement: restricts the place of an instance, and the clusters of a project's instances. */
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../api/resource.js';
import { forbidden, quote, userCannot } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { chosenNamespace, chosenVirtualCluster } from './clusterref.js';
import { asInstance, type Instance } from '../asinstance.js';
import { allowsCluster } from '../projects/requestrights.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { importOf } from './reservedmetadata.js';

const GROUP = 'management.svc.example';
const KINDS = ['SpaceInstance', 'VirtualClusterInstance'];

/** The project of a namespace; undefined if there is none. */
export type FindProject = (namespace: string) => Promise<Project | undefined>;

/**
 * Naming a namespace or a virtual cluster requires the verb `import` on the Cluster, because it may belong to others;
 * the places that the server chooses do not. The project must allow the cluster.
 */
export function instancePlacement(
  authorizer: Pick<Authorizer, 'authorize'>,
  findProject: FindProject,
): AdmissionPlugin {
  return {
    name: 'InstancePlacement',
    concerns: kindsOf(GROUP, ...KINDS),
    async validate({ definition, operation, subresource, namespace, name, requester }, object, previous) {
      if (subresource !== '' || object === undefined) return;
      const cluster = refOf(object).cluster ?? '';
      if (cluster === '') return;
      if (operation === 'CREATE' || refOf(previous).cluster !== cluster) {
        const project = await findProject(namespace);
        if (project === undefined)
          throw forbidden(
            definition,
            name,
            `namespace ${quote(namespace)} belongs to no project, so its instances cannot be on a cluster`,
          );
        if (!allowsCluster(project, cluster))
          throw forbidden(
            definition,
            name,
            `spec.allowedClusters of project ${quote(project.metadata.name ?? '')} does not have cluster ${quote(cluster)}`,
          );
      }
      if (!namesPlace(asInstance(object), asInstance(previous))) return;
      const asked = importOf(cluster);
      if ((await authorizer.authorize(requester, asked)).allowed) return;
      const why = `${userCannot(requester.name, asked)}: clusters/${cluster}; leave out spec.clusterRef.namespace and spec.clusterRef.virtualCluster, which the server chooses`;
      throw forbidden(definition, name, why);
    },
  };
}

type Ref = NonNullable<NonNullable<Instance['spec']>['clusterRef']>;

const refOf = (object: KubeObject | undefined): Ref => asInstance(object)?.spec?.clusterRef ?? {};

/** Whether the writer, and not the server, chose the place. */
function namesPlace(next: Instance, previous: Instance | undefined): boolean {
  const [ref, before] = [refOf(next), refOf(previous)];
  if (ref.namespace === before.namespace && ref.virtualCluster === before.virtualCluster) return false;
  const { metadata } = next;
  if (ref.namespace !== chosenNamespace(metadata)) return true;
  return ref.virtualCluster !== undefined && ref.virtualCluster !== chosenVirtualCluster(metadata);
}
