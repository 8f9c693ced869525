/** The identity of a user after the request has ended. A standing right is checked with the current identity. */
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { KubeObject, ObjectKey } from '../../../api/resource.js';
import { projectKeyOf, TEAM_GROUP, type Owner } from '../sharing/rights.js';
import { keyEnd } from '../accesskeys/keyend.js';
import { ACCESS_KEY } from '../accesskeys/names.js';
import { AUTHENTICATED, PRIVILEGED_GROUP } from '../../authentication/groups.js';
import { MANAGEMENT_AUTHENTICATED } from '../people/identities/identities.js';
import type { Identities } from '../people/identities/interface.js';
import type { User } from '../../authentication/interface.js';
import { accountGroups, accountIn } from '../../authentication/serviceaccount/token.js';
import type { Requester } from '../../registry/requester.js';
import { keyHolder } from '../accesskeys/owner.js';
import { projectKeyGroups } from '../accesskeys/projectkeys/answer.js';
import { isProjectOf, makerStands, referenceTo, wholeProject } from '../accesskeys/projectkeys/identity.js';

/** The user whose right it is, with what identifies them later. */
export interface Holder {
  /** The user's name, as requests have it. */
  readonly name: string;
  /** The uid of the User, Team, ServiceAccount or key of a project of that name; `''`: this server knew none. */
  readonly uid: string;
  /** Groups from the credential only: no object says whether the user is still a member. */
  readonly groups: readonly string[];
  /** The time of the credential's use, in ms since 1970. */
  readonly seen: number;
  /** The name of the access key that was used. */
  readonly key?: string;
  /** The scope of the credential. */
  readonly scope?: Scope;
}

/** How long groups that only a credential has are accepted, in ms. */
export const GROUPS_LAST_MS = 30 * 24 * 3_600_000;
/** The prefix of groups of our own objects. For these groups the objects decide, not a credential. */
const OWN_GROUPS = 'management:';

/** Users, teams, access keys and their projects in memory. */
export interface People {
  readonly identities: Identities;
  /** Undefined if the key does not exist. */
  accessKey(name: string): OwnedAccessKey | undefined;
  project(name: string): Project | undefined;
  /** ServiceAccounts; absent where they are another API server's. */
  readonly account?: (key: ObjectKey) => KubeObject | undefined;
}

/** `until`: when it may be otherwise with nothing having changed, in ms since 1970. */
export type Standing =
  | { readonly user: User; readonly until: number | undefined }
  | { readonly gone: string };

/** Whether something may stay. `until`: when to check again without a change, in ms since 1970. */
export type Verdict =
  | { readonly holds: true; readonly until: number | undefined }
  | { readonly holds: false; readonly why: string; readonly until?: undefined };

/** A user with a name alone. */
export const userNamed = (name: string): User => ({ name, uid: '', groups: [], extra: {} });

/** The owner of an object, as the one that a right rests on. */
export function ownersHolder({ user = '', team = '' }: Owner, people: People, now: number): Holder {
  return holderOf(userNamed(user === '' && team !== '' ? TEAM_GROUP + team : user), people, now);
}

/** The part of the requester's identity to store. */
export function holderOf({ name, groups, extra, scope }: Requester, people: People, now: number): Holder {
  const known = knownHolder(name, people, now);
  const used = projectKeyOf(name)?.key ?? extra[ACCESS_KEY]?.[0];
  const key = used !== undefined && keyNow(used, name, people, now) !== undefined ? used : undefined;
  // The keys of administrators are in a group that they do not name.
  const otherGroups = groups.filter(
    (one) => !known?.groups.includes(one) && (key === undefined || one === PRIVILEGED_GROUP),
  );
  return {
    name,
    uid: known?.uid ?? '',
    groups: otherGroups.filter((one) => !one.startsWith(OWN_GROUPS)),
    seen: now,
    ...(key !== undefined && { key }),
    ...(scope !== undefined && { scope }),
  };
}

/**
 * As {@link holderOf}, for records that outlast logins. Groups from a login, a certificate or an administrator's key
 * are statements of another system: they do not end with the credential.
 */
export function lastingHolderOf(requester: Requester, people: People, now: number): Holder {
  const { name, groups, extra, scope } = requester;
  const key = people.accessKey(extra[ACCESS_KEY]?.[0] ?? '');
  if (key !== undefined && key.spec?.type !== 'Login' && !groups.includes(PRIVILEGED_GROUP))
    return holderOf(requester, people, now);
  return holderOf({ name, uid: requester.uid, groups, extra: {}, ...(scope && { scope }) }, people, now);
}

/**
 * The current identity and groups of the holder, or the reason why there is none any more. `lastMs`: how long groups
 * that only a credential has are accepted.
 */
export function standingOf(holder: Holder, people: People, now: number, lastMs = GROUPS_LAST_MS): Standing {
  const { name, uid, groups, seen, scope: before } = holder;
  const known = knownHolder(name, people, now);
  const ofProject = projectKeyOf(name) !== undefined;
  if (ofProject && known === undefined) return { gone: KEY_ENDED };
  if (uid !== '' && known === undefined) return { gone: 'has been deleted' };
  if ((uid !== '' || ofProject) && known?.uid !== uid)
    return { gone: 'has been deleted, and another has the name' };
  if (known?.disabled === true) return { gone: 'is disabled' };
  const key = holder.key === undefined ? undefined : keyNow(holder.key, name, people, now);
  if (holder.key !== undefined && key === undefined && known === undefined) return { gone: KEY_ENDED };
  const lapse = groups.length > 0 ? seen + lastMs : undefined;
  const current = lapse !== undefined && lapse > now ? groups : [];
  const byRules = rulesLast(known, now, lastMs);
  const own =
    known?.groups ?? (key === undefined ? [AUTHENTICATED] : [MANAGEMENT_AUTHENTICATED, AUTHENTICATED]);
  const scope = key === undefined ? before : key.scope;
  const ends = [lapse, byRules.until, key?.end].flatMap((at = 0) =>
    at > now && at !== Infinity ? [at] : [],
  );
  return {
    user: {
      name,
      uid,
      extra: {},
      groups: [...new Set([...own, ...current, ...byRules.groups, ...(key?.groups ?? [])])],
      ...(scope !== undefined && { scope }),
    },
    until: ends.length === 0 ? undefined : Math.min(...ends),
  };
}

const KEY_ENDED = 'had an access key that has ended';

/** Objects besides the holder's own User that the identity depends on: `teams/ops`, `ownedaccesskeys/ci`. */
export function dependenciesOf({ name, key }: Holder, people: Pick<People, 'accessKey'>): string[] {
  const account = accountIn(name);
  const found = key === undefined ? undefined : people.accessKey(key);
  const maker = found && referenceTo('User', found);
  const { project } = projectKeyOf(name) ?? {};
  return [
    ...(name.startsWith(TEAM_GROUP) ? [`teams/${name.slice(TEAM_GROUP.length)}`] : []),
    ...(account === undefined ? [] : [`serviceaccounts/${account.namespace}/${account.name}`]),
    ...(key === undefined ? [] : [`ownedaccesskeys/${key}`]),
    ...(project === undefined ? [] : [`projects/${project}`]),
    ...(project === undefined || maker === undefined ? [] : [`users/${maker.name}`]),
  ];
}

interface Known {
  readonly uid: string;
  readonly groups: readonly string[];
  readonly disabled?: boolean;
  readonly lastLogin?: { readonly groups: readonly string[]; readonly time: number };
}

interface Lasting {
  readonly groups: readonly string[];
  readonly until?: number;
}

/** What group rules gave at the last login counts for as long as other groups that only a credential has. */
function rulesLast(known: Known | undefined, now: number, lastMs: number): Lasting {
  const { groups = [], time = 0 } = known?.lastLogin ?? {};
  const until = time + lastMs;
  return groups.length > 0 && until > now ? { groups, until } : { groups: [] };
}

function knownHolder(name: string, people: People, now: number): Known | undefined {
  const { identities, account } = people;
  const ofProject = projectKeyOf(name);
  if (ofProject !== undefined) return keyNow(ofProject.key, name, people, now);
  if (name.startsWith(TEAM_GROUP)) return identities.team(name.slice(TEAM_GROUP.length));
  const asked = accountIn(name);
  if (asked === undefined) return identities.user(name);
  const groups = [...accountGroups(asked.namespace), AUTHENTICATED];
  if (account === undefined) return { uid: '', groups };
  const found = account(asked);
  return found && { uid: found.metadata.uid ?? '', groups };
}

/** Whether the access key that the holder used still gives something to them; true if none was used. */
export const keyStands = ({ key, name }: Holder, people: People, now: number): boolean =>
  key === undefined || keyNow(key, name, people, now) !== undefined;

interface KeyNow extends Known {
  readonly scope: User['scope'];
  readonly end: number | undefined;
}

/** Undefined: it gives nothing to this user any more. */
function keyNow(name: string, user: string, people: People, now: number): KeyNow | undefined {
  const key = people.accessKey(name);
  if (key === undefined || key.metadata.deletionTimestamp !== undefined) return undefined;
  const { project = '', clusterRole = '', groups = [], disabled, scope } = key.spec ?? {};
  if (keyHolder(key) !== user || disabled === true) return undefined;
  const end = keyEnd(key, now);
  if (end !== undefined && end <= now) return undefined;
  const { uid = '' } = key.metadata;
  if (project === '') return { uid, groups, scope, end };
  if (!isProjectOf(key, people.project(project)) || !makerStands(key, people.identities)) return undefined;
  const own = projectKeyGroups(project, clusterRole);
  return { uid, groups: own, scope: scope ?? wholeProject(project), end };
}
