/** For each action on access keys, clusters, spaces and virtual clusters, the command that does the same. */
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import type { NewPlace } from '../newkeys/keyplace.js';
import { roleOf } from '../projectedits/projectroles.js';
import { options } from './actioncommands.js';
import { readSecretOf } from '../scopes/scopebuild.js';
import { command } from './command.js';

type Noun = 'space' | 'vcluster';

/** Empty texts: the option is not set. */
interface NewKey {
  readonly name: string;
  readonly displayName: string;
  /** In seconds; 0: the key does not expire. */
  readonly ttl: number;
  /** Undefined: the key has all rights of its owner. */
  readonly scope: Scope | undefined;
  /** Undefined: the key is the user's own. */
  readonly place?: NewPlace | undefined;
}

/** `user`: who makes it, as `--project` alone would make a key of the project. Undefined for a scope without parts: a command without options would create a key with all rights of its owner. */
export function createKeyCommand(
  { name, displayName, ttl, scope, place }: NewKey,
  user: string,
): string | undefined {
  const limits = scope === undefined ? [] : scopeOptions(scope);
  if (scope !== undefined && limits.length === 0) return undefined;
  return command(
    'platform',
    'create',
    'accesskey',
    ...(name === '' ? [] : [name]),
    ...options({ 'display-name': displayName }),
    ...(place === undefined ? [] : placeOptions(place)),
    ...(ttl === 0 ? [] : ['--ttl', `${ttl / 3600}h`]),
    ...(limits.includes('--project') ? ['--user', user] : []),
    ...limits,
  );
}

function placeOptions({ project, clusterRole, endsWithMaker }: NewPlace): string[] {
  const role = roleOf([clusterRole]) ?? 'user';
  return ['--project', project || 'PROJECT', '--role', role, ...(endsWithMaker ? ['--ends-with-me'] : [])];
}

function scopeOptions(scope: Scope): string[] {
  const { projects = [], spaces = [], virtualClusters = [], rules = [], allowPlatformCli = false } = scope;
  return [
    ...projects.flatMap(({ project = '' }) => ['--project', project]),
    ...spaces.flatMap(({ project = '', space = '' }) => ['--space', `${project}/${space}`]),
    ...virtualClusters.flatMap(({ project = '', virtualCluster = '' }) => [
      '--virtual-cluster',
      `${project}/${virtualCluster}`,
    ]),
    ...rules.flatMap((rule) => {
      const secret = readSecretOf(rule);
      return secret === undefined ? [] : ['--secret', `${secret.namespace}/${secret.name}`];
    }),
    ...(allowPlatformCli ? ['--allow-cli'] : []),
  ];
}

/** Empty texts: not typed, or not set. */
interface NewSpace {
  readonly name: string;
  readonly project: string;
  readonly cluster: string;
  readonly displayName: string;
}

export const createSpaceCommand = ({ name, project, cluster, displayName }: NewSpace): string =>
  command(
    'platform',
    'create',
    'space',
    name || 'NAME',
    '--project',
    project,
    ...options({ cluster, 'display-name': displayName }),
  );

export const allowClusterCommand = (project: string, cluster: string): string =>
  command('platform', 'allow', 'cluster', cluster || 'NAME', '--project', project);

export const moveSpaceCommand = (name: string, project: string, to: string): string =>
  command('platform', 'move', 'space', name, '--project', project, '--to', to);

export const useCommand = (noun: Noun, name: string, project: string): string =>
  command('platform', 'use', noun, name, '--project', project);

/** A command that writes a file `<name>.yaml`. */
export const kubeConfigCommand = (name: string, project: string): string =>
  command('platform', 'kubeconfig', 'vcluster', name, '--project', project, '--file', `${name}.yaml`);

/** Empty texts: not typed yet. */
interface Source {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly importName: string;
  readonly ingress: boolean;
}

export const importCommand = (
  project: string,
  { cluster, namespace, name, importName, ingress }: Source,
): string =>
  command(
    'platform',
    'import',
    'vcluster',
    name || 'NAME',
    '--cluster',
    cluster || 'CLUSTER',
    '--namespace',
    namespace || 'NAMESPACE',
    '--project',
    project,
    ...options({ name: importName }),
    ...(ingress ? ['--ingress'] : []),
  );

/** The registry is to be put in. */
const IMAGE = 'REGISTRY/management-apiserver';

/**
 * The command that connects a cluster, or the one that prints what to run in it. No credentials of the cluster pass through the
 * browser.
 */
export function connectCommands(name: string, displayName: string): readonly string[] {
  const named = ['', name].includes(displayName) ? [] : ['--display-name', displayName];
  return [[], ['--print']].map((flags) =>
    command('platform', 'connect', 'cluster', name, ...flags, ...named, '--image-repository', IMAGE),
  );
}
