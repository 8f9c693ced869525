import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';

/** Warnings for a valid scope that allows nothing. `path`: of the scope. */
export function scopeWarnings(path: string, scope: Scope): string[] {
  const { projects = [], spaces = [], virtualClusters = [], rules = [], allowPlatformCli = false } = scope;
  const parts = projects.length + spaces.length + virtualClusters.length + rules.length;
  if (parts === 0 && !allowPlatformCli) return [`${path}: a scope without parts allows nothing`];
  return [...rules.entries()].flatMap(
    ([at, { requestTargets = [], cluster = '', virtualClusters: of = [] }]) =>
      requestTargets.some((target) => target !== 'Management') || cluster !== '' || of.length > 0
        ? [
            `${path}.rules[${at}]: no requests are passed through to clusters, so what is said of them allows nothing`,
          ]
        : [],
  );
}
