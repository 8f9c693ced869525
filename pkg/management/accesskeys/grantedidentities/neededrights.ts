/** Rights that a writer needs to name users, teams and groups in an object that lets someone act as them. */
import { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind, type KubeObject, type ObjectOf } from '../../../../api/resource.js';
import { teamGroup } from '../../people/identities/identities.js';
import { ownerOf } from '../../sharing/rights.js';
import { sameJson } from '../../../registry/object/metadata.js';

/** A verb on an object at the cluster scope. */
export interface NeededRight {
  readonly verb: 'impersonate' | 'update';
  readonly group: string;
  readonly resource: 'users' | 'groups' | 'teams' | 'projects';
  readonly name: string;
}

export interface GrantingWrite {
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** The user name of the writer. */
  readonly requester: string;
  /** The groups of the writer. */
  readonly groups: readonly string[];
  /** Whether the access key itself is changed. */
  readonly changesKey: boolean;
  /** Whether the e-mail address of a User without a subject connects a login to it. */
  readonly linkVerifiedEmail: boolean;
}

/** Only differences from `previous` count. */
export function neededRights(write: GrantingWrite): NeededRight[] {
  const { object, previous, requester, changesKey } = write;
  switch (object.kind) {
    case 'User':
      return userRights(asKind(User, object), specOf(User, previous), write.linkVerifiedEmail);
    case 'Team':
      return changesMembers(specOf(Team, object), specOf(Team, previous))
        ? [changes('teams', object.metadata.name ?? '')]
        : [];
    case 'GroupRule':
      return ruleRights(asKind(GroupRule, object), asKind(GroupRule, previous));
    case 'OwnedAccessKey':
      return accessKeyRights(specOf(OwnedAccessKey, object), previous && specOf(OwnedAccessKey, previous), {
        requester,
        changesKey,
      });
    case 'SpaceInstance':
    case 'VirtualClusterInstance':
      return instanceRights(write);
    default:
      return [];
  }
}

type Granting = typeof User | typeof Team | typeof OwnedAccessKey;

const specOf = <D extends Granting>(
  definition: D,
  object: KubeObject | undefined,
): NonNullable<ObjectOf<D>['spec']> | Record<never, never> => asKind(definition, object)?.spec ?? {};

const impersonate = (resource: 'users' | 'groups', name: string): NeededRight => ({
  verb: 'impersonate',
  group: '',
  resource,
  name,
});
const changes = (resource: 'teams' | 'projects', name: string): NeededRight => ({
  verb: 'update',
  group: 'management.svc.example',
  resource,
  name,
});
const impersonateGroup = (name: string): NeededRight => impersonate('groups', name);

const added = (next: readonly string[] = [], previous: readonly string[] = []): string[] =>
  next.filter((name) => !previous.includes(name));

/** A login with the provider's subject in a User acts as that User, and so may the first one with its address. */
function userRights(
  { metadata, spec = {} }: User,
  previous: NonNullable<User['spec']>,
  linkVerifiedEmail: boolean,
): NeededRight[] {
  const { groups, subject = '', email = '' } = spec;
  const isFree = subject === '' && (email !== previous.email || (previous.subject ?? '') !== '');
  const logsIn =
    (subject !== '' && subject !== previous.subject) || (linkVerifiedEmail && email !== '' && isFree);
  return [
    ...(logsIn ? [impersonate('users', metadata.name ?? '')] : []),
    ...added(groups, previous.groups).map(impersonateGroup),
  ];
}

type TeamSpec = NonNullable<Team['spec']>;

const changesMembers = (next: TeamSpec, previous: TeamSpec): boolean =>
  added(next.users, previous.users).length > 0 || added(next.groups, previous.groups).length > 0;

/** A rule gives what its writer could give by hand. */
function ruleRights(rule: GroupRule, previous: GroupRule | undefined): NeededRight[] {
  if (sameJson(conditionsOf(rule), conditionsOf(previous))) return [];
  const { team = '', project = '' } = rule.spec;
  const [resource, name] = team === '' ? (['projects', project] as const) : (['teams', team] as const);
  return name === '' ? [] : [{ verb: 'update', group: 'management.svc.example', resource, name }];
}

/** Whom a rule gives what: all but its description. */
function conditionsOf(rule: GroupRule | undefined): object {
  const { description: _, ...conditions } = rule?.spec ?? {};
  return conditions;
}

/** The owner's rights decide which Secrets are synced to an instance, so naming another owner is impersonation. */
function instanceRights({ object, previous, requester, groups }: GrantingWrite): NeededRight[] {
  const { user = '', team = '' } = ownerOf(object);
  const before = previous === undefined ? {} : ownerOf(previous);
  const namesUser = user !== '' && user !== before.user && user !== requester;
  const group = teamGroup(team);
  const namesTeam = team !== '' && team !== before.team && group !== requester && !groups.includes(group);
  return [
    ...(namesUser ? [impersonate('users', user)] : []),
    ...(namesTeam ? [impersonateGroup(group)] : []),
  ];
}

type KeySpec = NonNullable<OwnedAccessKey['spec']>;

/** Fields that decide the identity, the lifetime and the scope of a key. */
const GRANTING = [
  'user',
  'team',
  'subject',
  'project',
  'clusterRole',
  'endsWithMaker',
  'groups',
  'scope',
  'ttl',
  'ttlAfterLastActivity',
  'type',
] as const;

interface KeyWrite {
  readonly requester: string;
  readonly changesKey: boolean;
}

/** Whether a write gives somebody what a key may do: it makes or replaces the key, enables it, or changes what it may do. */
export function grantsAnew(
  next: KeySpec = {},
  previous: KeySpec | undefined,
  changesKey: boolean | undefined,
): boolean {
  if (previous === undefined || changesKey === true) return true;
  if (previous.disabled === true && next.disabled !== true) return true;
  return GRANTING.some((member) => !sameJson(next[member], previous[member]));
}

function accessKeyRights(
  next: KeySpec,
  previous: KeySpec | undefined,
  { requester, changesKey }: KeyWrite,
): NeededRight[] {
  if (!grantsAnew(next, previous, changesKey)) return [];
  const { user = '', team = '', subject = '', project = '', groups = [] } = next;
  return [
    ...(project !== '' ? [changes('projects', project)] : []),
    ...(user !== '' && user !== requester ? [impersonate('users', user)] : []),
    ...(team !== '' && teamGroup(team) !== requester ? [impersonateGroup(teamGroup(team))] : []),
    ...(subject !== '' ? [impersonate('users', subject)] : []),
    ...groups.map(impersonateGroup),
  ];
}
