/** Which scopes allow which requests: judged by the function itself, and by whoever holds users to their scopes with it. */
import type { Scope, ScopedRequest, Target } from '../interface.js';

export const SETTINGS = { projectNamespacePrefix: 'loft-p-' };
const GROUP = 'management.svc.example';
export const CALLER = { name: 'anna', teams: ['ops'] };

/** Each is one part of a scope. */
export const SCOPES = {
  none: {},
  web: { projects: [{ project: 'web' }] },
  all: { projects: [{ project: '*' }] },
  space: { spaces: [{ project: 'web', space: 'one' }] },
  spaces: { spaces: [{ project: 'web', space: '*' }] },
  vc: { virtualClusters: [{ project: 'web', virtualCluster: 'one' }] },
  cli: { allowPlatformCli: true },
  pods: { rules: [{ verbs: ['get', 'list'], resources: [{ group: '', resources: ['pods', 'pods/log'] }] }] },
  named: {
    rules: [{ resources: [{ group: '', resources: ['*'] }], resourceNames: ['a'], namespaces: ['ns'] }],
  },
  cluster: { rules: [{ namespaces: [''] }] },
  scales: { rules: [{ resources: [{ group: 'apps', resources: ['*/scale', 'sets/*'] }] }] },
  paths: { rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/openapi/*'] }] },
  east: { rules: [{ cluster: 'east' }] },
  vcs: { rules: [{ requestTargets: ['VirtualCluster'], virtualClusters: [{ name: 'v', namespace: 'n' }] }] },
} satisfies Record<string, Scope>;
export type Name = keyof typeof SCOPES;

export interface Short {
  readonly to?: Target;
  readonly path?: string;
}

/** `verb group/resource/subresource namespace name`, `-` for the empty text. */
export function request(text: string, { to = { target: 'Management' }, path }: Short = {}): ScopedRequest {
  const [verb = '', what = '', namespace = '-', name = '-'] = text.split(' ');
  if (path !== undefined) return { to, caller: CALLER, attributes: { kind: 'path', verb, path } };
  const [group = '', resource = '', subresource = ''] = what.split(':');
  const empty = (part: string): string => (part === '-' ? '' : part);
  const attributes = {
    kind: 'resource',
    verb,
    version: 'v1',
    group: group === 'm' ? GROUP : empty(group),
    resource,
    subresource,
    namespace: empty(namespace),
    name: empty(name),
  } as const;
  return { to, caller: CALLER, attributes };
}

const east: Target = { target: 'Cluster', cluster: 'east' };
const west: Target = { target: 'Cluster', cluster: 'west' };
const spaceOf = (project: string, space: string): Target => ({
  target: 'ProjectSpace',
  cluster: 'east',
  project,
  space,
});
const virtualOf = (project: string, virtualCluster: string): Target => ({
  target: 'ProjectVirtualCluster',
  cluster: 'west',
  project,
  virtualCluster,
});
const plainVirtual = (name: string, namespace: string): Target => ({
  target: 'VirtualCluster',
  cluster: 'west',
  namespace,
  name,
});

/** Requests, and the scopes that allow them; all others do not. Each line is a row for each scope. */
export const ROWS: [string, Short, Name[]][] = [
  ['get m:projects - web', {}, ['web', 'all', 'space', 'spaces', 'vc', 'cli', 'cluster']],
  ['get m:projects - shop', {}, ['all', 'cli', 'cluster']],
  ['list m:projects - -', {}, ['cli', 'cluster']],
  ['update m:projects - web', {}, ['cluster']],
  ['get m:projects:members - web', {}, ['web', 'all', 'cli', 'cluster']],
  ['create m:projects:importvirtualcluster - web', {}, ['web', 'all', 'cluster']],
  ['list m:spaceinstances loft-p-web -', {}, ['web', 'all', 'spaces']],
  ['get m:spaceinstances loft-p-web one', {}, ['web', 'all', 'space', 'spaces']],
  ['delete m:spaceinstances loft-p-web one', {}, ['web', 'all', 'space', 'spaces']],
  ['get m:spaceinstances loft-p-web two', {}, ['web', 'all', 'spaces']],
  ['get m:spaceinstances loft-p-shop one', {}, ['all']],
  ['get m:virtualclusterinstances:kubeconfig loft-p-web one', {}, ['web', 'all', 'vc']],
  ['get m:virtualclusterinstances loft-p-web two', {}, ['web', 'all']],
  ['get m:sharedsecrets loft-p-web a', {}, ['web', 'all']],
  ['get m:sharedsecrets loft-p- a', {}, []],
  ['get m:sharedsecrets management-system a', {}, []],
  ['get -:namespaces loft-p-web loft-p-web', {}, ['web', 'all']],
  ['delete -:namespaces loft-p-web loft-p-web', {}, []],
  ['patch -:namespaces loft-p-web loft-p-web', {}, []],
  ['update -:namespaces:finalize loft-p-web loft-p-web', {}, []],
  ['get m:users - anna', {}, ['cli', 'cluster']],
  ['get m:users - ben', {}, ['cluster']],
  ['get m:teams - ops', {}, ['cli', 'cluster']],
  ['create m:selves - -', {}, ['cli', 'cluster']],
  ['create m:ownedaccesskeys - mine', {}, ['cluster']],
  ['get -:pods ns a', {}, ['pods', 'named']],
  ['get -:pods:log ns a', {}, ['pods', 'named']],
  ['get -:pods:exec ns a', {}, ['named']],
  ['delete -:pods ns a', {}, ['named']],
  ['list -:pods - -', {}, ['pods', 'cluster']],
  ['get -:pods other a', {}, ['pods']],
  ['update apps:deployments:scale ns a', {}, ['scales']],
  ['get apps:sets:status ns a', {}, ['scales']],
  ['get apps:sets ns a', {}, []],
  ['get', { path: '/healthz' }, ['paths']],
  ['get', { path: '/version' }, ['cli']],
  ['get', { path: '/openapi/v3' }, ['cli', 'paths']],
  ['post', { path: '/healthz' }, []],
  ['get -:pods ns a', { to: east }, ['pods', 'named', 'east']],
  ['delete -:nodes - n', { to: east }, ['cluster', 'east']],
  ['delete -:nodes - n', { to: west }, ['cluster']],
  ['delete -:pods x y', { to: spaceOf('web', 'one') }, ['web', 'all', 'space', 'spaces', 'east']],
  ['delete -:pods x y', { to: spaceOf('web', 'two') }, ['web', 'all', 'spaces', 'east']],
  ['delete -:pods x y', { to: spaceOf('shop', 'one') }, ['all', 'east']],
  ['delete -:pods x y', { to: virtualOf('web', 'one') }, ['web', 'all', 'vc']],
  ['delete -:pods x y', { to: virtualOf('web', 'two') }, ['web', 'all']],
  ['delete -:pods x y', { to: plainVirtual('v', 'n') }, ['vcs']],
  ['delete -:pods x y', { to: plainVirtual('v', 'm') }, []],
];
