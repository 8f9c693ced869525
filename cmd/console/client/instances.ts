/** Spaces and virtual clusters. */
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';
import type { ProjectClusters } from '../../../api/management.svc.example/v1/projectclusters.js';
import type { ProjectImportVirtualCluster } from '../../../api/management.svc.example/v1/instances/projectimportvirtualcluster.js';
import type { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { VirtualClusterInstanceKubeConfig } from '../../../api/management.svc.example/v1/virtualclusterinstancekubeconfig.js';
import { objects, type Form } from './forms.js';
import { createObject } from './one.js';
import { pathOf, withQuery } from './paths.js';
import { PROJECTS } from './projects.js';
import { send } from './request.js';
import { phaseView, type PhaseView } from './views.js';

/** The differences between the two kinds. */
export interface InstanceKind {
  readonly kind: 'SpaceInstance' | 'VirtualClusterInstance';
  readonly resource: 'spaceinstances' | 'virtualclusterinstances';
  /** The noun of the command line. */
  readonly noun: 'space' | 'vcluster';
  /** The key of its texts. */
  readonly texts: 'spaces' | 'virtualClusters';
}

export const SPACE: InstanceKind = {
  kind: 'SpaceInstance',
  resource: 'spaceinstances',
  noun: 'space',
  texts: 'spaces',
};
export const VIRTUAL_CLUSTER: InstanceKind = {
  kind: 'VirtualClusterInstance',
  resource: 'virtualclusterinstances',
  noun: 'vcluster',
  texts: 'virtualClusters',
};

type Spec = NonNullable<VirtualClusterInstance['spec']>;

export interface InstanceView extends PhaseView {
  readonly owner: NonNullable<Spec['owner']>;
  readonly clusterRef: NonNullable<Spec['clusterRef']>;
  /** Of a virtual cluster: whether it is reached at its ingress. */
  readonly ingress: boolean;
}

export const instanceForm = (): Form<InstanceView> => objects(instanceViewOf);

/** A space is read as a virtual cluster whose additional fields are absent. */
export function instanceViewOf(object: VirtualClusterInstance): InstanceView {
  const { spec = {} } = object;
  return {
    ...phaseView(object),
    owner: spec.owner ?? {},
    clusterRef: spec.clusterRef ?? {},
    ingress: spec.accessPoint?.ingress?.enabled === true,
  };
}

export interface NewSpace {
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  /** Empty: no cluster is assigned, and the space waits for one. */
  readonly cluster: string;
}

export const createSpace = ({ namespace, name, displayName, cluster }: NewSpace): Promise<KubeObject> =>
  createObject(SPACE.resource, namespace, {
    kind: SPACE.kind,
    metadata: { name },
    spec: {
      ...(displayName !== '' && { displayName }),
      ...(cluster !== '' && { clusterRef: { cluster } }),
    },
  });

export type AllowedCluster = NonNullable<ProjectClusters['clusters']>[number];

/** The existing clusters that a project allows. Rejects with ApiError. */
export const allowedClusters = async (
  project: string,
  signal: AbortSignal,
): Promise<readonly AllowedCluster[]> =>
  (await send<ProjectClusters>('GET', `${pathOf(PROJECTS, '', project)}/clusters`, { signal })).clusters ??
  [];

/** Moves a space to another project. Its workloads keep running. Rejects with ApiError. */
export const moveSpace = ({ name, namespace }: ObjectMeta, project: string): Promise<unknown> =>
  send('POST', `${pathOf(PROJECTS, '', project)}/migratespaceinstance`, {
    body: {
      kind: 'ProjectMigrateSpaceInstance',
      apiVersion: 'management.svc.example/v1',
      sourceSpaceInstance: { name, namespace },
    },
  });

export type ImportSource = Required<NonNullable<ProjectImportVirtualCluster['sourceVirtualCluster']>>;

/**
 * Creates an instance for a virtual cluster that already runs. `dryRun`: only checks whether the server would. Rejects
 * with ApiError.
 */
export const importVirtualCluster = (
  project: string,
  sourceVirtualCluster: ImportSource,
  dryRun: boolean,
): Promise<unknown> =>
  send(
    'POST',
    withQuery(`${pathOf(PROJECTS, '', project)}/importvirtualcluster`, {
      fieldManager: 'console',
      ...(dryRun && { dryRun: 'All' }),
    }),
    {
      body: {
        kind: 'ProjectImportVirtualCluster',
        apiVersion: 'management.svc.example/v1',
        sourceVirtualCluster,
      },
    },
  );

/**
 * Returns a new kubeconfig of a virtual cluster. It contains a client certificate of the user, and is as secret as an
 * access key. Rejects with ApiError.
 */
export const readKubeConfig = async ({ name, namespace }: ObjectMeta): Promise<string> =>
  (
    await send<VirtualClusterInstanceKubeConfig>(
      'GET',
      `${pathOf(VIRTUAL_CLUSTER.resource, namespace, name)}/kubeconfig`,
    )
  ).status?.kubeConfig ?? '';
