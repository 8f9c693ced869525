/** Names and groups of users and teams, from their objects alone. */
import type { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { User } from '../../../../api/management.svc.example/v1/user.js';
import { TEAM_GROUP } from '../../sharing/rights.js';
import { AUTHENTICATED } from '../../../authentication/groups.js';
import type { KnownTeam, KnownUser } from './interface.js';

/** The group of all users with a User object. */
export const MANAGEMENT_AUTHENTICATED = 'management:authenticated';
const userGroup = (user: string): string => `management:user:${user}`;
export const teamGroup = (team: string): string => TEAM_GROUP + team;

/** A user is a member of the teams that list the user, or a group of its object. */
export function knownUser(
  { metadata, spec = {} }: Pick<User, 'metadata' | 'spec'>,
  teams: Iterable<Pick<Team, 'metadata' | 'spec'>>,
): KnownUser {
  const name = metadata.name ?? '';
  const own = spec.groups ?? [];
  const memberOf: string[] = [];
  for (const { metadata: team, spec: { users = [], groups = [] } = {} } of teams) {
    if (team.deletionTimestamp !== undefined) continue;
    if (users.includes(name) || groups.some((group) => own.includes(group))) memberOf.push(team.name ?? '');
  }
  const groups = [
    userGroup(name),
    ...memberOf.map(teamGroup),
    MANAGEMENT_AUTHENTICATED,
    AUTHENTICATED,
    ...own,
  ];
  return {
    uid: metadata.uid ?? '',
    disabled: spec.disabled === true || metadata.deletionTimestamp !== undefined,
    tokenGeneration: spec.tokenGeneration ?? 0,
    groups: [...new Set(groups)],
    teams: memberOf,
  };
}

/** Of a team that is not being deleted. */
export function knownTeam({ metadata }: Pick<Team, 'metadata'>): KnownTeam {
  const groups = [teamGroup(metadata.name ?? ''), MANAGEMENT_AUTHENTICATED, AUTHENTICATED];
  return { uid: metadata.uid ?? '', groups };
}
