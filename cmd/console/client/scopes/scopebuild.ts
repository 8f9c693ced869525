/** Builds a scope from the texts of a form. */
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { namesOf } from '../../ui/names.js';

export interface ScopeFields {
  readonly projects: string;
  /** `project/space`, separated by commas; likewise for virtual clusters. */
  readonly spaces: string;
  readonly virtualClusters: string;
  /** Secrets that may be read, as `namespace/name`, separated by commas. */
  readonly secrets: string;
  readonly platformCli: boolean;
}

export const NO_FIELDS: ScopeFields = {
  projects: '',
  spaces: '',
  virtualClusters: '',
  secrets: '',
  platformCli: false,
};

/** `bad`: the invalid items of each field. */
export interface BuiltScope {
  readonly scope: Scope;
  readonly bad: Readonly<Record<'spaces' | 'virtualClusters' | 'secrets', readonly string[]>>;
}

export function buildScope(fields: ScopeFields): BuiltScope {
  const { projects, spaces, virtualClusters, secrets, platformCli } = fields;
  const inSpaces = pairsOf(spaces);
  const inClusters = pairsOf(virtualClusters);
  const read = pairsOf(secrets);
  const names = namesOf(projects);
  return {
    bad: { spaces: inSpaces.bad, virtualClusters: inClusters.bad, secrets: read.bad },
    scope: {
      ...(platformCli && { allowPlatformCli: true }),
      ...(names.length > 0 && { projects: names.map((project) => ({ project })) }),
      ...(inSpaces.pairs.length > 0 && {
        spaces: inSpaces.pairs.map(([project, space]) => ({ project, space })),
      }),
      ...(inClusters.pairs.length > 0 && {
        virtualClusters: inClusters.pairs.map(([project, virtualCluster]) => ({ project, virtualCluster })),
      }),
      ...(read.pairs.length > 0 && {
        rules: read.pairs.map(([namespace, name]) => readRule(namespace, name)),
      }),
    },
  };
}

type Rule = NonNullable<Scope['rules']>[number];

/** A rule that allows reading one secret. */
const readRule = (namespace: string, name: string): Rule => ({
  verbs: ['get'],
  resources: [{ group: 'management.svc.example', resources: ['sharedsecrets'] }],
  resourceNames: [name],
  namespaces: [namespace],
  requestTargets: ['Management'],
});

/** `namespace/name` of the one secret that a rule allows to read; undefined for any other rule. */
export function readSecretOf(rule: Rule): { readonly namespace: string; readonly name: string } | undefined {
  const { namespaces: [namespace = ''] = [], resourceNames: [name = ''] = [] } = rule;
  return JSON.stringify(readRule(namespace, name)) === JSON.stringify(inOrder(rule))
    ? { namespace, name }
    : undefined;
}

/** The members of a rule in the order of {@link readRule}, without empty ones. */
function inOrder({ verbs, resources, resourceNames, namespaces, requestTargets, ...rest }: Rule): object {
  const more = Object.values(rest).some((value) => value.length > 0) ? rest : {};
  return { verbs, resources, resourceNames, namespaces, requestTargets, ...more };
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
