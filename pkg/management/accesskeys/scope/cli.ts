/** Reads of the command line client, which `allowPlatformCli` adds to a scope. */
import { projectOfNamespace } from '../../projects/names.js';
import type { ResourceAttributes } from '../../../authorization/interface.js';
import type { Scope, ScopedRequest, ScopeSettings } from './interface.js';

const GROUP = 'management.svc.example';
const READ: readonly string[] = ['get', 'list'];
const PATHS = /^\/(version\/?|api(\/[^/]+)?\/?|apis(\/[^/]+){0,2}\/?|openapi(\/.*)?)$/;
const INSTANCES: readonly string[] = ['spaceinstances', 'virtualclusterinstances'];

export function cliAllows(
  scope: Scope,
  { to, attributes, caller }: ScopedRequest,
  { projectNamespacePrefix }: ScopeSettings,
): boolean {
  if (to.target !== 'Management') return false;
  if (attributes.kind === 'path') return attributes.verb === 'get' && PATHS.test(attributes.path);
  const { verb, group, resource, subresource, name, namespace } = attributes;
  if (verb === 'create') return subresource === '' && asksAboutSelf(attributes);
  if (group !== GROUP || !READ.includes(verb)) return false;
  if (resource === 'projects') return ['', 'clusters', 'members', 'usage'].includes(subresource);
  if (subresource !== '') return false;
  if (resource === 'clusters') return true;
  if (resource === 'users') return verb === 'get' && name === caller.name;
  if (resource === 'teams') return verb === 'get' && caller.teams.includes(name);
  if (!INSTANCES.includes(resource)) return false;
  return inScope(scope, projectOfNamespace(projectNamespacePrefix, namespace) ?? '');
}

function asksAboutSelf({ group, resource }: ResourceAttributes): boolean {
  return (
    (group === GROUP && resource === 'selves') ||
    (group === 'authorization.k8s.io' && resource === 'selfsubjectaccessreviews')
  );
}

/** Whether a part names the project. */
function inScope({ projects = [], spaces = [], virtualClusters = [] }: Scope, wanted: string): boolean {
  const parts: readonly { readonly project?: string }[] = [...projects, ...spaces, ...virtualClusters];
  return wanted !== '' && parts.some(({ project }) => project === '*' || project === wanted);
}
