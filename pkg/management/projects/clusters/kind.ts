import type { ManagementServices } from '../../services.js';
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import {
  ProjectClusters as Definition,
  type ProjectClusters,
} from '../../../../api/management.svc.example/v1/projectclusters.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import { allowsCluster, projectOfPath } from '../requestrights.js';

/** Existing clusters that the project allows, by name. */
export const kind: VirtualResource<typeof Definition, ManagementServices> = {
  definition: Definition,
  below: { definition: Project, subresource: 'clusters' },
  readBy: { verb: 'get' },
  readOnly: true,
  async answer({ kind: name, apiVersion }, context) {
    const project = await projectOfPath(context);
    const clusters: NonNullable<ProjectClusters['clusters']> = [];
    for (const object of context.services.objects.cached(Cluster)) {
      const { metadata, spec = {}, status = {} } = object;
      if (!allowsCluster(project, metadata.name ?? '')) continue;
      clusters.push({
        ...(metadata.name !== undefined && { name: metadata.name }),
        ...(spec.displayName !== undefined && { displayName: spec.displayName }),
        phase: status.phase ?? 'Pending',
        online: status.online ?? false,
      });
    }
    return { kind: name, apiVersion, metadata: { name: context.name }, clusters };
  },
};
