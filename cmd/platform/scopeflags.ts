/** The scope of a credential as flags say it. */
import type { Command } from 'commander';
import type { Scope } from '../../api/management.svc.example/v1/scope.js';
import { usage } from './failure.js';

export interface ScopeOptions {
  readonly project?: string[];
  readonly space?: string[];
  readonly virtualCluster?: string[];
  readonly allowCli?: boolean;
}

export function addScopeFlags(command: Command): Command {
  return command
    .option('--project <project...>', 'Only these projects; * for all.')
    .option('--space <project/space...>', 'Only these spaces.')
    .option('--virtual-cluster <project/name...>', 'Only these virtual clusters.')
    .option('--allow-cli', 'Also the reads that this program needs.');
}

/** Undefined: not narrowed. Throws Failure, usage. */
export function scopeOf({ project, space, virtualCluster, allowCli }: ScopeOptions): Scope | undefined {
  if ([project, space, virtualCluster, allowCli].every((option) => option === undefined)) return undefined;
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
  };
}

/** `project/name`. Throws Failure, usage. */
export function projectAndName(flag: string, text: string): [string, string] {
  const [project = '', name = '', more] = text.split('/');
  if (project === '' || name === '' || more !== undefined)
    throw usage(`${flag} ${text}: write it as project/name`);
  return [project, name];
}
