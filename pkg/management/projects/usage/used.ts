/** The quotas of a project with their use, for readers. */
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { ProjectUsage as Kind } from '../../../../api/management.svc.example/v1/projectusage.js';
import type { ResourceStore } from '../../../registry/resourcestore.js';
import type { Settings } from '../../settings.js';
import { projectNamespace } from '../names.js';
import { quotasOf } from './quotas.js';
import { ProjectUsage } from './usage.js';

export type UsedQuota = NonNullable<Kind['usage']>[number];

export function openProjectUsage(
  stores: readonly ResourceStore[],
  settings: Settings,
): (project: Project) => Promise<readonly UsedQuota[]> {
  const usage = new ProjectUsage(stores, settings);
  return async ({ metadata, spec }) => {
    await usage.current();
    const within = projectNamespace(settings.projectNamespacePrefix, metadata.name ?? '');
    return quotasOf(spec?.quotas ?? {}).map((quota) => ({
      name: quota.name,
      used: quota.used(usage, within),
      hard: quota.hard,
    }));
  };
}
