import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { sameJson } from '../../../registry/object/metadata.js';

/**
 * Whether `inner` allows nothing that `outer` does not: each of its parts is one of `outer`, or lies in one that has a
 * wildcard. A rule lies only in the same rule.
 */
export function scopeWithin(inner: Scope | undefined, outer: Scope | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  const { projects = [], spaces = [], virtualClusters = [], rules = [] } = outer;
  const inProjects = (project = ''): boolean => projects.some((part) => covers(part.project, project));
  return (
    (inner.allowPlatformCli !== true || outer.allowPlatformCli === true) &&
    (inner.projects ?? []).every(({ project }) => inProjects(project)) &&
    (inner.spaces ?? []).every(
      ({ project = '', space = '' }) =>
        inProjects(project) ||
        spaces.some((part) => covers(part.project, project) && covers(part.space, space)),
    ) &&
    (inner.virtualClusters ?? []).every(
      ({ project = '', virtualCluster = '' }) =>
        inProjects(project) ||
        virtualClusters.some(
          (part) => covers(part.project, project) && covers(part.virtualCluster, virtualCluster),
        ),
    ) &&
    (inner.rules ?? []).every((rule) => rules.some((one) => sameJson(one, rule)))
  );
}

const covers = (part = '', name: string): boolean => part !== '' && (part === '*' || part === name);
