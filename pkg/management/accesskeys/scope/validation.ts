import type { Scope, ScopeRule } from '../../../../api/management.svc.example/v1/scope.js';
import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  findingsOf,
  type FieldError,
} from '../../../apimachinery/errors.js';

const TARGETS = ['Management', 'Cluster', 'ProjectSpace', 'ProjectVirtualCluster', 'VirtualCluster'];

/**
 * Validates that wildcards are only used where they have a meaning, and that resource names do not overlap. `path`:
 * of the scope.
 */
export function validateScope(path: string, scope: Scope): FieldError[] {
  const { projects = [], spaces = [], virtualClusters = [], rules = [] } = scope;
  return [
    ...findingsOf(projects.entries(), ([at, part]) => named(`${path}.projects[${at}].project`, part.project)),
    ...findingsOf(spaces.entries(), ([at, part]) => [
      ...named(`${path}.spaces[${at}].project`, part.project),
      ...named(`${path}.spaces[${at}].space`, part.space),
    ]),
    ...findingsOf(virtualClusters.entries(), ([at, part]) => [
      ...named(`${path}.virtualClusters[${at}].project`, part.project),
      ...named(`${path}.virtualClusters[${at}].virtualCluster`, part.virtualCluster),
    ]),
    ...findingsOf(rules.entries(), ([at, rule]) => validateRule(`${path}.rules[${at}]`, rule)),
  ];
}

/** A name, or `*` alone. */
function named(path: string, name = ''): FieldError[] {
  if (name === '') return [fieldRequired(path)];
  if (name === '*' || !name.includes('*')) return [];
  return [fieldInvalid(path, name, '* stands for all, and only alone')];
}

function validateRule(path: string, rule: ScopeRule): FieldError[] {
  const { resources = [], resourceNames = [], nonResourceURLs = [], requestTargets = [] } = rule;
  const errors = findingsOf(resources.entries(), ([at, entry]) =>
    validateResources(`${path}.resources[${at}].resources`, entry.resources ?? []),
  );
  if (resourceNames.length > 0 && resources.length === 0)
    errors.push(fieldRequired(`${path}.resources`, 'must be specified together with resourceNames'));
  for (const [at, url] of nonResourceURLs.entries()) {
    const stars = url.split('*').length - 1;
    if (!url.startsWith('/') && url !== '*')
      errors.push(fieldInvalid(`${path}.nonResourceURLs[${at}]`, url, 'must begin with /'));
    else if (stars > 1 || (stars === 1 && url !== '*' && !url.endsWith('/*')))
      errors.push(
        fieldInvalid(
          `${path}.nonResourceURLs[${at}]`,
          url,
          '* is allowed only as the whole last step of the path',
        ),
      );
  }
  for (const [at, target] of requestTargets.entries())
    if (!TARGETS.includes(target))
      errors.push(fieldNotSupported(`${path}.requestTargets[${at}]`, target, TARGETS));
  return errors;
}

function validateResources(path: string, names: readonly string[]): FieldError[] {
  return findingsOf(names.entries(), ([at, name]) => {
    const [resource = '', subresource, ...rest] = name.split('/');
    const steps = subresource === undefined ? [resource] : [resource, subresource, ...rest];
    const bad = steps.length > 2 || steps.some((step) => step === '' || (step.includes('*') && step !== '*'));
    if (bad || name === '*/*')
      return [fieldInvalid(`${path}[${at}]`, name, 'must be such as pods, pods/log, *, pods/* or */scale')];
    const other = names.find((one, i) => i !== at && overlaps(name, one));
    if (other === undefined) return [];
    return [fieldInvalid(`${path}[${at}]`, name, `must not overlap with ${other}`)];
  });
}

/** Whether a wildcard covers another entry. */
function overlaps(wide: string, other: string): boolean {
  if (wide === '*') return true;
  if (wide.endsWith('/*')) return other.startsWith(wide.slice(0, -1));
  return wide.startsWith('*/') && other.endsWith(wide.slice(1));
}
