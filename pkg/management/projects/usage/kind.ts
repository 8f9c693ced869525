import type { ManagementServices } from '../../services.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { ProjectUsage } from '../../../../api/management.svc.example/v1/projectusage.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import { projectOfPath } from '../requestrights.js';

/** Each quota of the project, with what counts for it. */
export const kind: VirtualResource<typeof ProjectUsage, ManagementServices> = {
  definition: ProjectUsage,
  below: { definition: Project, subresource: 'usage' },
  readBy: { verb: 'get' },
  readOnly: true,
  async answer({ kind: called, apiVersion }, context) {
    const project = await projectOfPath(context);
    const usage = await context.services.projectUsage(project);
    return { kind: called, apiVersion, metadata: { name: context.name }, usage: [...usage] };
  },
};
