/** Spaces and virtual clusters. */
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';
import type { ProjectClusters } from '../../../api/management.svc.example/v1/projectclusters.js';
import type { ProjectImportVirtualCluster } from '../../../api/management.svc.example/v1/projectimportvirtualcluster.js';
import type { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { VirtualClusterInstanceKubeConfig } from '../../../api/management.svc.example/v1/virtualclusterinstancekubeconfig.js';
import type { Form } from './forms.js';
import { objects } from './forms.js';
import { createObject } from './one.js';
import { pathOf, withQuery } from './paths.js';
import { PROJECTS } from './projects.js';
import { send } from './request.js';
import type { PhaseView } from './views.js';
import { phaseView } from './views.js';

/** What is different between the two. */
export interface InstanceKind {
  readonly kind: 'SpaceInstance' | 'VirtualClusterInstance';
  readonly resource: 'spaceinstances' | 'virtualclusterinstances';
  /** As the command line calls it. */
  readonly noun: 'space' | 'vcluster';
  /** Of its texts. */
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
}

export const instanceForm = (): Form<InstanceView> => objects(instanceViewOf);

/** A space is a virtual cluster without what only these have. */
export function instanceViewOf(object: VirtualClusterInstance): InstanceView {
  const { spec = {} } = object;
  return {
    ...phaseView(object),
    owner: spec.owner ?? {},
    clusterRef: spec.clusterRef ?? {},
  };
}

export interface NewInstance {
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  /** Empty: none, where it waits. */
  readonly cluster: string;
}

export const createInstance = (
  { kind, resource }: InstanceKind,
  { namespace, name, displayName, cluster }: NewInstance,
): Promise<KubeObject> =>
  createObject(resource, namespace, {
    kind,
    metadata: { name },
    spec: {
      ...(displayName !== '' && { displayName }),
      ...(cluster !== '' && { clusterRef: { cluster } }),
    },
  });

export type AllowedCluster = NonNullable<ProjectClusters['clusters']>[number];

/** The clusters that a project allows and that there are. Rejects with ApiError. */
export const allowedClusters = async (
  project: string,
  signal: AbortSignal,
): Promise<readonly AllowedCluster[]> =>
  (await send<ProjectClusters>('GET', `${pathOf(PROJECTS, '', project)}/clusters`, { signal })).clusters ??
  [];

/** Moves a space into another project; what runs in it goes on. Rejects with ApiError. */
export const moveSpace = ({ name, namespace }: ObjectMeta, project: string): Promise<unknown> =>
  send('POST', `${pathOf(PROJECTS, '', project)}/migratespaceinstance`, {
    body: {
      kind: 'ProjectMigrateSpaceInstance',
      apiVersion: 'management.svc.example/v1',
      sourceSpaceInstance: { name, namespace },
    },
  });

export type ImportSource = Required<NonNullable<ProjectImportVirtualCluster['sourceVirtualCluster']>>;

/** Makes an instance of a virtual cluster that runs already. `dryRun`: only says whether it would. Rejects with ApiError. */
export const importVirtualCluster = (
  project: string,
  sourceVirtualCluster: ImportSource,
  dryRun: boolean,
): Promise<unknown> =>
  send(
    'POST',
    withQuery(`${pathOf(PROJECTS, '', project)}/importvirtualcluster`, {
      ...{ fieldManager: 'console', ...(dryRun && { dryRun: 'All' }) },
    }),
    {
      body: {
        ...{ kind: 'ProjectImportVirtualCluster', apiVersion: 'management.svc.example/v1' },
        sourceVirtualCluster,
      },
    },
  );

/** A new kubeconfig of a virtual cluster, with a certificate of the person: as secret as a key. Rejects with ApiError. */
export const readKubeConfig = async ({ name, namespace }: ObjectMeta): Promise<string> =>
  (
    await send<VirtualClusterInstanceKubeConfig>(
      'GET',
      `${pathOf(VIRTUAL_CLUSTER.resource, namespace, name)}/kubeconfig`,
    )
  ).status?.kubeConfig ?? '';
