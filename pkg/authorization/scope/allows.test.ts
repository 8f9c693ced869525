import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scopeAllows } from './allows.js';
import type { Scope, ScopedRequest, Target } from './interface.js';
import { scopeWithin } from './within.js';

const SETTINGS = { projectNamespacePrefix: 'loft-p-' };
const GROUP = 'management.svc.example';
const caller = { name: 'anna', teams: ['ops'] };

/** Each is one part of a scope. */
const SCOPES = {
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
type Name = keyof typeof SCOPES;

interface Short {
  readonly to?: Target;
  readonly path?: string;
}

/** `verb group/resource/subresource namespace name`, `-` for the empty text. */
function request(text: string, { to = { target: 'Management' }, path }: Short = {}): ScopedRequest {
  const [verb = '', what = '', namespace = '-', name = '-'] = text.split(' ');
  if (path !== undefined) return { to, caller, attributes: { kind: 'path', verb, path } };
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
  return { to, caller, attributes };
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
const ROWS: [string, Short, Name[]][] = [
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

const NAMES = Object.keys(SCOPES) as Name[];
const requests = ROWS.map(([text, short]) => request(text, short));

describe('scopes', () => {
  const table = ROWS.flatMap(([text, short, allowed]) =>
    NAMES.map((name) => [name, text, short, allowed.includes(name)] as const),
  );
  test('are tried with hundreds of requests', () => expect(table.length).toBeGreaterThan(150));
  test.each(table)('%s: %s %j is allowed: %j', (name, text, short, expected) => {
    expect(scopeAllows(SCOPES[name], request(text, short), SETTINGS)).toBe(expected);
  });

  test.each(requests.map((one) => [one]))('no scope allows %j', (one) => {
    expect(scopeAllows(undefined, one, SETTINGS)).toBe(true);
  });

  const part = fc.constantFrom(...NAMES.map((name): Scope => SCOPES[name]));
  const scopes = fc.array(part, { maxLength: 4 }).map(joined);
  const oneRequest = fc.constantFrom(...requests);

  test('a scope never allows what is denied without it, and more parts never allow less', () => {
    fc.assert(
      fc.property(scopes, scopes, oneRequest, fc.boolean(), (one, other, asked, mayOwner) => {
        const decides = (scope: Scope | undefined): boolean =>
          mayOwner && scopeAllows(scope, asked, SETTINGS);
        expect(decides(one) && !decides(undefined)).toBe(false);
        expect(decides(one) && !decides(joined([one, other]))).toBe(false);
      }),
    );
  });

  test('a scope within another allows nothing that the other does not', () => {
    fc.assert(
      fc.property(scopes, scopes, oneRequest, (one, other, asked) => {
        const wide = joined([one, other]);
        expect(scopeWithin(one, wide)).toBe(true);
        if (!scopeWithin(other, one)) return;
        expect(scopeAllows(other, asked, SETTINGS) && !scopeAllows(one, asked, SETTINGS)).toBe(false);
      }),
    );
    expect(scopeWithin(undefined, {})).toBe(false);
    expect(scopeWithin(SCOPES.all, SCOPES.web)).toBe(false);
    expect(scopeWithin(SCOPES.space, SCOPES.all)).toBe(true);
  });
});

function joined(parts: readonly Scope[]): Scope {
  const list = <K extends 'projects' | 'spaces' | 'virtualClusters' | 'rules'>(member: K) =>
    parts.flatMap((one) => [...((one[member] ?? []) as unknown[])]) as NonNullable<Scope[K]>;
  return {
    projects: list('projects'),
    spaces: list('spaces'),
    virtualClusters: list('virtualClusters'),
    rules: list('rules'),
    allowPlatformCli: parts.some(({ allowPlatformCli }) => allowPlatformCli === true),
  };
}
