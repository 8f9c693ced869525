import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { ProjectImportVirtualCluster } from '../../../../api/management.svc.example/v1/instances/projectimportvirtualcluster.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { apiVersionOf, type KubeObject, clusterScoped } from '../../../../api/resource.js';
import {
  alreadyExists,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  forbidden,
  invalid,
  notFound,
  quote,
  type FieldError,
} from '../../../apimachinery/errors.js';
import { IMPORTED_ANNOTATION, projectNamespace } from '../../projects/names.js';
import { dns1123Label, dns1123Subdomain } from '../../../apimachinery/validation/names.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices } from '../../services.js';
import { RESERVED_NAMESPACES } from '../instancevalidation.js';
import { allowsCluster, demandRights, projectOfPath } from '../../projects/requestrights.js';
import type { ClusterClient, Connection } from '../../clusters/client/interface.js';
import {
  KUBECONFIG_KEY,
  readVirtualClusterSecret,
  virtualClusterSecretName,
} from '../virtualclustersecret.js';

type Source = Required<NonNullable<ProjectImportVirtualCluster['sourceVirtualCluster']>>;

/** Imports an existing virtual cluster as an instance of the project: all checks come first, then one commit. */
export const kind: VirtualResource<typeof ProjectImportVirtualCluster, ManagementServices> = {
  definition: ProjectImportVirtualCluster,
  below: { definition: Project, subresource: 'importvirtualcluster' },
  async answer(request, context) {
    const source = sourceOf(request);
    const { services, write } = context;
    const { cluster, importName: name } = source;
    const namespace = projectNamespace(services.projectNamespacePrefix, context.name);
    await demandRights(context, [
      { verb: 'import', kind: Cluster, namespace: '', name: cluster },
      { verb: 'create', kind: VirtualClusterInstance, namespace, name: '' },
    ]);
    await checkProject(context, cluster);
    if ((await services.objects.live(VirtualClusterInstance, { namespace, name })) !== undefined)
      throw alreadyExists(VirtualClusterInstance, name);
    await checkVirtualCluster(await services.clusters.connect(cluster), services.clusters, source);
    await services.objects.create(VirtualClusterInstance, namespace, instanceOf(source, namespace), write);
    delete request.status;
    return request;
  },
};

function sourceOf(request: ProjectImportVirtualCluster): Source {
  const { name = '', namespace = '', cluster = '', importName = '' } = request.sourceVirtualCluster ?? {};
  const errors = [
    ...named('name', name, dns1123Label),
    ...named('namespace', namespace, dns1123Label),
    ...named('cluster', cluster, dns1123Subdomain),
    ...(importName === '' ? [] : named('importName', importName, dns1123Subdomain)),
  ];
  if (RESERVED_NAMESPACES.includes(namespace))
    errors.push(fieldForbidden('sourceVirtualCluster.namespace', `nothing is imported from ${namespace}`));
  if (errors.length > 0) throw invalid(ProjectImportVirtualCluster, request.metadata.name ?? '', errors);
  return { name, namespace, cluster, importName: importName === '' ? name : importName };
}

function named(member: string, value: string, check: (value: string) => readonly string[]): FieldError[] {
  const path = `sourceVirtualCluster.${member}`;
  if (value === '') return [fieldRequired(path)];
  return check(value).map((text) => fieldInvalid(path, value, text));
}

async function checkProject(context: ManagementAnswerContext, cluster: string): Promise<void> {
  const project = await projectOfPath(context);
  if ((await context.services.objects.live(Cluster, clusterScoped(cluster))) === undefined)
    throw notFound(Cluster, cluster);
  if (allowsCluster(project, cluster)) return;
  const why = `spec.allowedClusters of the project does not have cluster ${quote(cluster)}`;
  throw forbidden(Project, context.name, why);
}

function instanceOf({ cluster, namespace, name, importName }: Source, within: string): KubeObject {
  const { kind: called } = VirtualClusterInstance;
  return {
    kind: called,
    apiVersion: apiVersionOf(VirtualClusterInstance),
    metadata: { name: importName, namespace: within, annotations: { [IMPORTED_ANNOTATION]: 'true' } },
    spec: { clusterRef: { cluster, namespace, virtualCluster: name } },
  };
}

/** Identifies a virtual cluster in its host cluster. */
interface VirtualClusterPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Checks that the Secret of the virtual cluster exists and has a kubeconfig. Throws StatusError: 422 if not, 400 for
 * a refused kubeconfig, 504 if the cluster does not respond.
 */
async function checkVirtualCluster(
  connection: Connection,
  clusters: Pick<ClusterClient, 'connectBy'>,
  { cluster, namespace, name }: VirtualClusterPlace,
): Promise<void> {
  const { status, kubeconfig } = await readVirtualClusterSecret(connection, namespace, name);
  const where = `Secret ${quote(virtualClusterSecretName(name))} in namespace ${quote(namespace)} of cluster ${quote(cluster)}`;
  const refuse = (why: string): Error =>
    invalid(ProjectImportVirtualCluster, '', [fieldInvalid('sourceVirtualCluster.name', name, why)]);
  if (status === 404) throw refuse(`is no virtual cluster: there is no ${where}`);
  if (status !== 200) throw refuse(`cannot be looked at: the cluster answers ${status} for ${where}`);
  if (kubeconfig === undefined)
    throw refuse(`is no virtual cluster: ${where} has no key ${quote(KUBECONFIG_KEY)}`);
  (await clusters.connectBy(`virtual cluster ${quote(name)}`, kubeconfig)).close();
}
