/** The scope of a credential as flags say it. */
import type { Command } from 'commander';
import type { Scope, ScopeRule } from '../../api/management.svc.example/v1/scope.js';
import { usage } from './failure.js';

export interface ScopeOptions {
  readonly project?: string[];
  readonly space?: string[];
  readonly virtualCluster?: string[];
  readonly secret?: string[];
  readonly allowCli?: boolean;
}

/** `projects`: what `--project` says. */
export function addScopeFlags(command: Command, projects = 'Only these projects; * for all.'): Command {
  return command
    .option('--project <project...>', projects)
    .option('--space <project/space...>', 'Only these spaces.')
    .option('--virtual-cluster <project/name...>', 'Only these virtual clusters.')
    .option('--secret <namespace/name...>', 'Only reading these shared secrets (namespace: default).')
    .option('--allow-cli', 'Also the reads that this program needs.');
}

/** Undefined: not narrowed. Throws Failure, usage. */
export function scopeOf(options: ScopeOptions): Scope | undefined {
  const { project, space, virtualCluster, secret, allowCli } = options;
  const given = [project, space, virtualCluster, secret, allowCli];
  if (given.every((option) => option === undefined)) return undefined;
  return {
    ...(allowCli === true && { allowPlatformCli: true }),
    ...(project !== undefined && { projects: project.map((name) => ({ project: name })) }),
    ...(space !== undefined && {
      spaces: space.map((text) => {
        const [of, name] = projectAndName('--space', text);
        return { project: of, space: name };
      }),
    }),
    ...(virtualCluster !== undefined && {
      virtualClusters: virtualCluster.map((text) => {
        const [of, name] = projectAndName('--virtual-cluster', text);
        return { project: of, virtualCluster: name };
      }),
    }),
    ...(secret !== undefined && { rules: secret.map(secretRule) }),
  };
}

/** Allows reading a secret: the same rule as that of the console. Throws Failure, usage. */
function secretRule(text: string): ScopeRule {
  const [first = '', second, more] = text.split('/');
  const [namespace, name] = second === undefined ? ['default', first] : [first, second];
  if (namespace === '' || name === '' || more !== undefined)
    throw usage(`--secret ${text}: write it as namespace/name`);
  return {
    verbs: ['get'],
    resources: [{ group: 'management.svc.example', resources: ['sharedsecrets'] }],
    resourceNames: [name],
    namespaces: [namespace],
    requestTargets: ['Management'],
  };
}

/** `project/name`. Throws Failure, usage. */
export function projectAndName(flag: string, text: string): [string, string] {
  const [project = '', name = '', more] = text.split('/');
  if (project === '' || name === '' || more !== undefined)
    throw usage(`${flag} ${text}: write it as project/name`);
  return [project, name];
}
