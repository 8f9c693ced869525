/** What the flags of `platform create accesskey` ask for. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { secondsOf } from '../duration.js';
import { usage } from '../failure.js';
import { type ScopeOptions, scopeOf } from '../scopeflags.js';
import { clusterRoleOf, roleName, ROLES } from './nouns/members.js';

export type KeySpec = NonNullable<OwnedAccessKey['spec']>;

export interface KeySpecOptions extends ScopeOptions {
  readonly displayName?: string;
  readonly user?: string;
  readonly team?: string;
  readonly role?: string;
  readonly endsWithMe?: boolean;
  readonly ttl?: string;
}

/** `--project` alone makes a key of the project; beside `--user` or `--team` it narrows theirs. Throws Failure, usage. */
export function keySpecOf(options: KeySpecOptions): KeySpec {
  const { displayName, user, team, project, role, endsWithMe, ttl } = options;
  if (user !== undefined && team !== undefined) throw usage('--user and --team exclude each other');
  const ofProject = user === undefined && team === undefined && project !== undefined;
  if (!ofProject && (role !== undefined || endsWithMe !== undefined))
    throw usage(
      '--role and --ends-with-me are for a key of a project: say --project, and no --user or --team',
    );
  const scope = scopeOf(ofProject ? narrowing(options) : options);
  return {
    ...(displayName !== undefined && { displayName }),
    ...(user !== undefined && { user }),
    ...(team !== undefined && { team }),
    ...(ofProject && { project: onlyOne(project), clusterRole: roleOf(role) }),
    ...(endsWithMe !== undefined && { endsWithMaker: endsWithMe }),
    ...(ttl !== undefined && { ttl: secondsOf('--ttl', ttl) }),
    ...(scope !== undefined && { scope }),
  };
}

/** A key of a project that nothing else narrows has the reads of this program. */
function narrowing({ space, virtualCluster, secret, allowCli }: ScopeOptions): ScopeOptions {
  const narrows = [space, virtualCluster, secret].some((flag) => flag !== undefined);
  return narrows
    ? {
        ...(space !== undefined && { space }),
        ...(virtualCluster !== undefined && { virtualCluster }),
        ...(secret !== undefined && { secret }),
        ...(allowCli !== undefined && { allowCli }),
      }
    : {};
}

function onlyOne([first = '', ...others]: readonly string[]): string {
  if (others.length === 0 && first !== '' && first !== '*') return first;
  throw usage('a key of a project has one --project; with --user or --team a key may reach several');
}

function roleOf(role = 'user'): string {
  if (!ROLES.includes(roleName(role)))
    throw usage(`--role ${role}: a key of a project is ${ROLES.join(', ')}`);
  return clusterRoleOf(role);
}
