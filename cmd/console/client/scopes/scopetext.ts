/** The rights of a key with a scope, in one sentence. */
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import type { Texts } from '../../texts/en.js';
import type { KeyPlace } from '../newkeys/keyplace.js';
import { shortRole } from '../projectedits/projectroles.js';
import { readSecretOf } from './scopebuild.js';

/** The rights of a key, in one sentence. */
export function keySentence(
  { place, scope }: { readonly place: KeyPlace | undefined; readonly scope: Scope | undefined },
  texts: Texts['scope'],
): string {
  if (place === undefined) return scopeSentence(scope, texts);
  const { project, clusterRole } = place;
  const all = texts.ofProject(project, shortRole(clusterRole, texts.roles));
  return scope === undefined ? all : `${all} ${scopeSentence(scope, texts)}`;
}

export function scopeSentence(scope: Scope | undefined, texts: Texts['scope']): string {
  if (scope === undefined) return texts.everything;
  const { projects = [], spaces = [], virtualClusters = [], rules = [], allowPlatformCli = false } = scope;
  const parts = [
    ...projects.map(({ project = '' }) => (project === '*' ? texts.allProjects : texts.project(project))),
    ...spaces.map(({ project = '', space = '' }) =>
      space === '*' ? texts.allSpaces(project) : texts.space(project, space),
    ),
    ...virtualClusters.map(({ project = '', virtualCluster: name = '' }) =>
      name === '*' ? texts.allVirtualClusters(project) : texts.virtualCluster(project, name),
    ),
    ...rules.map((rule) => {
      const secret = readSecretOf(rule);
      return secret === undefined
        ? texts.rule(ruleText(rule, texts))
        : texts.secret(`${secret.namespace}/${secret.name}`);
    }),
    ...(allowPlatformCli ? [texts.platformCli] : []),
  ];
  return parts.length === 0 ? texts.nothing : texts.only(listed(parts, texts.and));
}

function ruleText(rule: NonNullable<Scope['rules']>[number], texts: Texts['scope']): string {
  const verbs = (rule.verbs ?? []).join(', ') || texts.anyVerb;
  const resources = (rule.resources ?? []).flatMap(({ resources: names = ['*'] }) => names).join(', ');
  const names = (rule.resourceNames ?? []).map((name) => ` ${name}`).join(',');
  const where = (rule.namespaces ?? []).join(', ');
  return `${verbs} ${resources || texts.anything}${names}${where === '' ? '' : texts.inNamespaces(where)}`;
}

const listed = (parts: readonly string[], and: string): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${and} ${parts.at(-1) ?? ''}`;
