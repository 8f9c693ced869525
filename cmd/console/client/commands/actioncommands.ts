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

/** A secret: with its namespace, or as one of its project. Empty texts: not known yet. */
export interface SecretPlace {
  readonly name: string;
  readonly namespace?: string;
  readonly project?: string;
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
const placeOptions = ({ namespace = '', project = '' }: SecretPlace): string[] =>
  options({ namespace, project });

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

/** A command that creates a secret whose name may have dots, without entries. */
export const createSecretCommand = (
  kind: 'SharedSecret' | 'ProjectSecret',
  { namespace, name }: SecretPlace,
  spec: object,
): string =>
  `${command(
    'printf',
    '%s\\n',
    jsonWord({ apiVersion: `${GROUP}/v1`, kind, metadata: { namespace, name: name || 'NAME' }, spec }),
  )} | kubectl create --filename -`;

export const setEntryCommand = (place: SecretPlace, entry: string): string =>
  command(
    'platform',
    'set',
    'secret',
    place.name || 'NAME',
    '--entry',
    entry || 'ENTRY',
    ...placeOptions(place),
  );

export const removeEntryCommand = (place: SecretPlace, entry: string): string =>
  command('platform', 'delete', 'secret', place.name || 'NAME', '--entry', entry, ...placeOptions(place));

export const readSecretCommand = (place: SecretPlace): string =>
  command(
    'platform',
    'get',
    'secret',
    place.name,
    ...(place.name.includes('.') ? ['--whole'] : []),
    ...placeOptions(place),
  );

export const readEntryCommand = (place: SecretPlace, entry: string): string =>
  command(
    'platform',
    'get',
    'secret',
    place.name || 'NAME',
    '--entry',
    entry,
    '--output',
    'raw',
    ...placeOptions(place),
  );

export const shareCommand = (place: SecretPlace, share: Share): string =>
  command(
    'platform',
    'share',
    'secret',
    place.name || 'NAME',
    ...placeOptions(place),
    ...share.users.flatMap((user) => ['--user', user]),
    ...share.teams.flatMap((team) => ['--team', team]),
    '--verbs',
    share.verbs.join(','),
  );

/** A command that revokes all rights of a user or team. */
export const unshareCommand = (place: SecretPlace, kind: 'user' | 'team', name: string): string =>
  command('platform', 'unshare', 'secret', place.name || 'NAME', ...placeOptions(place), `--${kind}`, name);

export const createUserCommand = (name: string, displayName: string, email: string): string =>
  command('platform', 'create', 'user', name || 'NAME', ...options({ 'display-name': displayName, email }));

export const inviteCommand = (name: string, ttl: string, byKey: boolean): string =>
  command('platform', 'invite', name, '--ttl', ttl, ...(byKey ? ['--access-key'] : []));

/** `subject` empty: the command removes it. */
export const linkUserCommand = (name: string, subject: string): string =>
  command('platform', 'link', 'user', name, ...(subject === '' ? ['--remove'] : ['--subject', subject]));

export const createTeamCommand = (name: string, displayName: string, users: readonly string[]): string =>
  command(
    'platform',
    'create',
    'team',
    name || 'NAME',
    ...options({ 'display-name': displayName }),
    ...users.flatMap((user) => ['--user', user]),
  );

export const createProjectCommand = (name: string, displayName: string, instances: string): string =>
  command(
    'platform',
    'create',
    'project',
    name || 'NAME',
    ...options({ 'display-name': displayName, quota: instances && `instances=${instances}` }),
  );

export const switchKeyCommand = (name: string, disable: boolean): string =>
  command('platform', disable ? 'disable' : 'enable', 'accesskey', name);

export const rotateKeyCommand = (name: string): string => command('platform', 'rotate', 'accesskey', name);

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
