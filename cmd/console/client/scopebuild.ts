/** A scope from what is typed into its fields. */
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import { namesOf } from '../ui/names.js';

export interface ScopeFields {
  readonly projects: string;
  /** `project/space`, separated by commas; so are virtual clusters. */
  readonly spaces: string;
  readonly virtualClusters: string;
  readonly platformCli: boolean;
}

export const NO_FIELDS: ScopeFields = { projects: '', spaces: '', virtualClusters: '', platformCli: false };

/** `bad`: what is no pair, by its field. */
export interface BuiltScope {
  readonly scope: Scope;
  readonly bad: Readonly<Record<'spaces' | 'virtualClusters', readonly string[]>>;
}

export function buildScope({ projects, spaces, virtualClusters, platformCli }: ScopeFields): BuiltScope {
  const inSpaces = pairsOf(spaces);
  const inClusters = pairsOf(virtualClusters);
  const names = namesOf(projects);
  return {
    bad: { spaces: inSpaces.bad, virtualClusters: inClusters.bad },
    scope: {
      ...(platformCli && { allowPlatformCli: true }),
      ...(names.length > 0 && { projects: names.map((project) => ({ project })) }),
      ...(inSpaces.pairs.length > 0 && {
        spaces: inSpaces.pairs.map(([project, space]) => ({ project, space })),
      }),
      ...(inClusters.pairs.length > 0 && {
        virtualClusters: inClusters.pairs.map(([project, virtualCluster]) => ({ project, virtualCluster })),
      }),
    },
  };
}

function pairsOf(text: string): { readonly pairs: [string, string][]; readonly bad: string[] } {
  const pairs: [string, string][] = [];
  const bad: string[] = [];
  for (const one of namesOf(text)) {
    const [project = '', name = '', more] = one.split('/');
    if (project === '' || name === '' || more !== undefined) bad.push(one);
    else pairs.push([project, name]);
  }
  return { pairs, bad };
}
