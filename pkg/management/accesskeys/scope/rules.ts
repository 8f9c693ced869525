/** `scope.rules`: an absent member restricts nothing. */
import type { ScopeRule } from '../../../../api/management.svc.example/v1/scope.js';
import type { ResourceAttributes } from '../../../authorization/interface.js';
import type { ScopedRequest, Target } from './interface.js';

const ALL = '*';

type Resources = NonNullable<ScopeRule['resources']>[number];

/**
 * A rule is about resources, paths, or both. A rule with paths alone allows no resource, and one with resource members
 * alone allows no path.
 */
export function ruleAllows(rule: ScopeRule, { to, attributes }: ScopedRequest): boolean {
  if (!isFor(rule, to)) return false;
  const { verbs = [], nonResourceURLs = [] } = rule;
  if (verbs.length > 0 && !verbs.includes(ALL) && !verbs.includes(attributes.verb)) return false;
  const ofResources = namesResources(rule);
  if (attributes.kind === 'path') {
    if (nonResourceURLs.length === 0) return !ofResources;
    return nonResourceURLs.some((url) => pathMatches(url, attributes.path));
  }
  if (nonResourceURLs.length > 0 && !ofResources) return false;
  return resourceMatches(rule, attributes);
}

const namesResources = ({ resources = [], resourceNames = [], namespaces = [] }: ScopeRule): boolean =>
  resources.length + resourceNames.length + namespaces.length > 0;

/** `cluster` and `virtualClusters` are about requests to clusters, and to virtual clusters, alone. */
function isFor({ requestTargets = [], cluster = '', virtualClusters = [] }: ScopeRule, to: Target): boolean {
  if (requestTargets.length > 0 && !requestTargets.includes(to.target)) return false;
  if (cluster !== '' && (to.target === 'Management' || to.cluster !== cluster)) return false;
  if (virtualClusters.length === 0) return true;
  if (to.target === 'VirtualCluster')
    return virtualClusters.some(
      ({ name = '', namespace = '' }) =>
        (name === '' || name === to.name) && (namespace === '' || namespace === to.namespace),
    );
  if (to.target !== 'ProjectVirtualCluster') return false;
  return virtualClusters.some(
    ({ name = '', namespace = '' }) => (name === '' || name === to.virtualCluster) && namespace === '',
  );
}

function resourceMatches(
  { resources = [], resourceNames = [], namespaces = [] }: ScopeRule,
  attributes: ResourceAttributes,
): boolean {
  const { name, namespace } = attributes;
  if (resources.length > 0 && !resources.some((entry) => covers(entry, attributes))) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  return namespaces.length === 0 || namespaces.includes(namespace);
}

/** `pods`, `pods/log`, `*` (resources with their subresources), `pods/*`, and `*` before a subresource. */
function covers({ group = '', resources = [] }: Resources, attributes: ResourceAttributes): boolean {
  if (group !== attributes.group) return false;
  const { resource, subresource } = attributes;
  const asked = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    resources.length === 0 ||
    resources.some(
      (one) =>
        one === ALL ||
        one === asked ||
        (subresource !== '' && (one === `${resource}/${ALL}` || one === `${ALL}/${subresource}`)),
    )
  );
}

/** `*` stands for the rest of a path, as its whole last step. */
function pathMatches(url: string, path: string): boolean {
  if (url === path || url === ALL) return true;
  return url.endsWith(`/${ALL}`) && path.startsWith(url.slice(0, -ALL.length));
}
