/** Whether a scope allows a request. A scope only restricts: the rights of its user apply as well. */
import { projectOfNamespace } from '../../projects/names.js';
import type { ResourceAttributes } from '../../../authorization/interface.js';
import { cliAllows } from './cli.js';
import type { Scope, ScopedRequest, ScopeSettings } from './interface.js';
import { ruleAllows } from './rules.js';

const GROUP = 'management.svc.example';
const ALL = '*';

/** An absent scope allows everything. A scope allows what one of its parts allows, so nothing without parts. */
export function scopeAllows(
  scope: Scope | undefined,
  request: ScopedRequest,
  settings: ScopeSettings,
): boolean {
  if (scope === undefined) return true;
  const { projects = [], spaces = [], virtualClusters = [], rules = [], allowPlatformCli = false } = scope;
  return (
    projects.some(({ project = '' }) => projectAllows(project, request, settings)) ||
    spaces.some(({ project = '', space = '' }) =>
      instanceAllows({ project, name: space, resource: 'spaceinstances' }, request, settings),
    ) ||
    virtualClusters.some(({ project = '', virtualCluster = '' }) =>
      instanceAllows(
        { project, name: virtualCluster, resource: 'virtualclusterinstances' },
        request,
        settings,
      ),
    ) ||
    rules.some((rule) => ruleAllows(rule, request)) ||
    (allowPlatformCli && cliAllows(scope, request, settings))
  );
}

const names = (part: string, name: string): boolean =>
  part !== '' && name !== '' && (part === ALL || part === name);

/** An impossible project name if the namespace belongs to no project. */
const projectOf = (namespace: string, { projectNamespacePrefix }: ScopeSettings): string =>
  projectOfNamespace(projectNamespacePrefix, namespace) ?? '';

/**
 * Allows reading the project and its namespace, all of its subresources, everything in the namespace, and requests to
 * its clusters.
 */
function projectAllows(part: string, { to, attributes }: ScopedRequest, settings: ScopeSettings): boolean {
  if (to.target === 'ProjectSpace' || to.target === 'ProjectVirtualCluster') return names(part, to.project);
  if (to.target !== 'Management' || attributes.kind !== 'resource') return false;
  if (isProject(attributes))
    return names(part, attributes.name) && (attributes.verb === 'get' || attributes.subresource !== '');
  // The namespace itself is not in the namespace, and ends with the project.
  if (attributes.group === '' && attributes.resource === 'namespaces' && attributes.verb !== 'get')
    return false;
  return names(part, projectOf(attributes.namespace, settings));
}

const isProject = ({ group, resource }: ResourceAttributes): boolean =>
  group === GROUP && resource === 'projects';

interface Instance {
  readonly project: string;
  readonly name: string;
  readonly resource: 'spaceinstances' | 'virtualclusterinstances';
}

/** Allows reading the project, the instance with its subresources, and requests to the instance. */
function instanceAllows(part: Instance, { to, attributes }: ScopedRequest, settings: ScopeSettings): boolean {
  if (to.target === 'ProjectSpace')
    return (
      part.resource === 'spaceinstances' && names(part.project, to.project) && names(part.name, to.space)
    );
  if (to.target === 'ProjectVirtualCluster')
    return (
      part.resource === 'virtualclusterinstances' &&
      names(part.project, to.project) &&
      names(part.name, to.virtualCluster)
    );
  if (to.target !== 'Management' || attributes.kind !== 'resource') return false;
  if (isProject(attributes))
    return names(part.project, attributes.name) && attributes.verb === 'get' && attributes.subresource === '';
  if (attributes.group !== GROUP || attributes.resource !== part.resource) return false;
  if (!names(part.project, projectOf(attributes.namespace, settings))) return false;
  // `*` is all instances, so that it also covers requests that name none.
  return part.name === ALL || names(part.name, attributes.name);
}
