/** For each action of the console, the command that does the same. Commands read secret values from standard input. */
import type { ObjectMeta } from '../../../../api/resource.js';
import { command, jsonWord } from './command.js';

type Named = Pick<ObjectMeta, 'namespace' | 'name'>;

/** The users and teams that get verbs on an object. */
interface Share {
  readonly users: readonly string[];
  readonly teams: readonly string[];
  readonly verbs: readonly string[];
}

/** A user or a team. */
interface Member {
  readonly kind: 'User' | 'Team';
  readonly name: string;
}

const GROUP = 'management.svc.example';
/** Flags for those values that are not empty. */
export const options = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).flatMap(([option, value]) => (value === '' ? [] : [`--${option}`, value]));
const within = ({ namespace = '' }: Named): string[] => options({ namespace });

export const deleteCommand = (resource: string, metadata: Named): string =>
  command('kubectl', 'delete', `${resource}.${GROUP}`, metadata.name ?? '', ...within(metadata));

/** A command that sets members of `spec`. */
export const patchCommand = (resource: string, metadata: Named, spec: object): string =>
  command(
    'kubectl',
    'patch',
    `${resource}.${GROUP}`,
    metadata.name ?? '',
    ...within(metadata),
    '--type',
    'merge',
    '--patch',
    jsonWord({ spec }),
  );

export const createSecretCommand = ({
  namespace,
  name,
  displayName,
}: Readonly<Record<string, string>>): string =>
  `${command(
    'printf',
    '%s\\n',
    jsonWord({
      apiVersion: `${GROUP}/v1`,
      kind: 'SharedSecret',
      metadata: { namespace, name: name || 'NAME' },
      ...(displayName !== '' && { spec: { displayName } }),
    }),
  )} | kubectl create --filename -`;

export const setEntryCommand = (metadata: Named, entry: string): string =>
  command('platform', 'set', 'secret', metadata.name ?? '', '--key', entry || 'ENTRY', ...within(metadata));

export const removeEntryCommand = (metadata: Named, entry: string): string =>
  command('platform', 'delete', 'secret', metadata.name ?? '', '--key', entry, ...within(metadata));

export const readEntryCommand = (metadata: Named, entry: string): string =>
  command(
    'platform',
    'get',
    'secret',
    metadata.name ?? '',
    '--key',
    entry,
    '--output',
    'raw',
    ...within(metadata),
  );

export const shareCommand = (metadata: Named, share: Share): string =>
  command(
    'platform',
    'share',
    'secret',
    metadata.name ?? '',
    ...within(metadata),
    ...share.users.flatMap((user) => ['--user', user]),
    ...share.teams.flatMap((team) => ['--team', team]),
    '--verbs',
    share.verbs.join(','),
  );

/** A command that revokes all rights of a user or team. */
export const unshareCommand = (metadata: Named, kind: 'user' | 'team', name: string): string =>
  command('platform', 'unshare', 'secret', metadata.name ?? '', ...within(metadata), `--${kind}`, name);

export const createUserCommand = (name: string, displayName: string, email: string): string =>
  command('platform', 'create', 'user', name || 'NAME', ...options({ 'display-name': displayName, email }));

export const createTeamCommand = (name: string, displayName: string, users: readonly string[]): string =>
  command(
    'platform',
    'create',
    'team',
    name || 'NAME',
    ...options({ 'display-name': displayName }),
    ...users.flatMap((user) => ['--user', user]),
  );

export const createProjectCommand = (name: string, displayName: string): string =>
  command('platform', 'create', 'project', name || 'NAME', ...options({ 'display-name': displayName }));

export const switchKeyCommand = (name: string, disable: boolean): string =>
  command('platform', disable ? 'disable' : 'enable', 'accesskey', name);

export const deleteKeyCommand = (name: string): string => command('platform', 'delete', 'accesskey', name);

/**
 * A command that gives a user or a team a role in a project, and replaces the member's former roles. `role`: a short
 * name, or a ClusterRole.
 */
export const addMemberCommand = (project: string, { kind, name }: Member, role: string): string =>
  command(
    'platform',
    'add',
    'member',
    ...(kind === 'Team' ? ['--team'] : []),
    '--project',
    project,
    '--role',
    role,
    '--',
    name || 'NAME',
  );

export const removeMemberCommand = (project: string, { kind, name }: Member): string =>
  command(
    'platform',
    'remove',
    'member',
    ...(kind === 'Team' ? ['--team'] : []),
    '--project',
    project,
    '--',
    name,
  );

/**
 * A command that sets limits; an empty text removes a limit. `limits`: texts by `instances`, `secretBytes` or a
 * resource.
 */
export const setQuotaCommand = (project: string, limits: readonly (readonly [string, string])[]): string =>
  command(
    'platform',
    'set',
    'quota',
    '--project',
    project,
    '--',
    // The client takes `secrets` for those of projects; a dot stands for the core group.
    ...limits.map(([name, limit]) => `${name === 'secrets' ? 'secrets.' : name}=${limit}`),
  );
