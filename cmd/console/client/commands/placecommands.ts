/** For each action on access keys, spaces and virtual clusters, the command that does the same. */
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { options } from './actioncommands.js';
import { command, jsonWord } from './command.js';

type Noun = 'space' | 'vcluster';

/** Empty texts: the option is not set. */
interface NewKey {
  readonly name: string;
  readonly displayName: string;
  /** In seconds; 0: the key does not expire. */
  readonly ttl: number;
  /** Undefined: the key has all rights of its owner. */
  readonly scope: Scope | undefined;
}

/** Undefined for a scope without parts: a command without options would create a key with all rights of its owner. */
export function createKeyCommand(wanted: NewKey): string | undefined {
  const { name, displayName, ttl, scope } = wanted;
  if ((scope?.rules ?? []).length > 0) return createWithRules(wanted);
  const limits = scope === undefined ? [] : scopeOptions(scope);
  if (scope !== undefined && limits.length === 0) return undefined;
  return command(
    'platform',
    'create',
    'accesskey',
    ...(name === '' ? [] : [name]),
    ...options({ 'display-name': displayName }),
    ...(ttl === 0 ? [] : ['--ttl', `${ttl / 3600}h`]),
    ...limits,
  );
}

/** `platform` has no option for rules. The response contains the key, once. */
const createWithRules = ({ name, displayName, ttl, scope }: NewKey): string =>
  `${command(
    'printf',
    '%s\\n',
    jsonWord({
      apiVersion: 'management.svc.example/v1',
      kind: 'OwnedAccessKey',
      metadata: name === '' ? { generateName: 'key-' } : { name },
      spec: { ...(displayName !== '' && { displayName }), ...(ttl > 0 && { ttl }), scope },
    }),
  )} | kubectl create --filename - --output 'jsonpath={.spec.key}'`;

function scopeOptions(scope: Scope): string[] {
  const { projects = [], spaces = [], virtualClusters = [], allowPlatformCli = false } = scope;
  return [
    ...projects.flatMap(({ project = '' }) => ['--project', project]),
    ...spaces.flatMap(({ project = '', space = '' }) => ['--space', `${project}/${space}`]),
    ...virtualClusters.flatMap(({ project = '', virtualCluster = '' }) => [
      '--virtual-cluster',
      `${project}/${virtualCluster}`,
    ]),
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
}

export const importCommand = (project: string, { cluster, namespace, name, importName }: Source): string =>
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
  );
