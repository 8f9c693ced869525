/** Names and groups of users and teams, from their objects alone. */
import type { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { User } from '../../../../api/management.svc.example/v1/user.js';
import { TEAM_GROUP, USER_GROUP } from '../../sharing/rights.js';
import { AUTHENTICATED } from '../../../authentication/groups.js';
import type { Given } from '../../grouprules/ruleset.js';
import type { KnownTeam, KnownUser } from './interface.js';

/** The group of all users with a User object. */
export const MANAGEMENT_AUTHENTICATED = 'management:authenticated';
export const userGroup = (user: string): string => USER_GROUP + user;
export const teamGroup = (team: string): string => TEAM_GROUP + team;

/** What group rules give to a user. */
export interface ByLogin {
  readonly given: readonly Given[];
  /** Of the login, in ms since 1970. */
  readonly time: number;
  /** Whether the login has not ended. */
  readonly isOpen: boolean;
}

const NO_LOGIN: ByLogin = { given: [], time: 0, isOpen: false };

/** A user is a member of the teams that list the user, or a group of its object, or that a group rule names. */
export function knownUser(
  { metadata, spec = {} }: Pick<User, 'metadata' | 'spec'>,
  teams: Iterable<Pick<Team, 'metadata' | 'spec'>>,
  { given, time, isOpen }: ByLogin = NO_LOGIN,
): KnownUser {
  const name = metadata.name ?? '';
  const own = spec.groups ?? [];
  const memberOf: string[] = [];
  const byRules = given.flatMap((one) => ('group' in one ? [one.group] : []));
  for (const { metadata: team, spec: { users = [], groups = [] } = {} } of teams) {
    if (team.deletionTimestamp !== undefined) continue;
    const { name: called = '' } = team;
    const isGiven = given.some((one) => 'team' in one && one.team === called && one.uid === team.uid);
    if (isGiven) byRules.push(teamGroup(called));
    if ((isGiven && isOpen) || users.includes(name) || groups.some((group) => own.includes(group)))
      memberOf.push(called);
  }
  const groups = [
    userGroup(name),
    ...memberOf.map(teamGroup),
    MANAGEMENT_AUTHENTICATED,
    AUTHENTICATED,
    ...own,
    ...(isOpen ? byRules : []),
  ];
  return {
    uid: metadata.uid ?? '',
    disabled: spec.disabled === true || metadata.deletionTimestamp !== undefined,
    ...(metadata.deletionTimestamp !== undefined && { ends: true }),
    tokenGeneration: spec.tokenGeneration ?? 0,
    groups: [...new Set(groups)],
    teams: memberOf,
    ...(byRules.length > 0 && { lastLogin: { groups: byRules, time } }),
  };
}

/** Of a team that is not being deleted. */
export function knownTeam({ metadata }: Pick<Team, 'metadata'>): KnownTeam {
  const groups = [teamGroup(metadata.name ?? ''), MANAGEMENT_AUTHENTICATED, AUTHENTICATED];
  return { uid: metadata.uid ?? '', groups };
}
