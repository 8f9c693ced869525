import type { Team } from '../../../api/management.svc.example/v1/team.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import { TEAM_GROUP } from '../../management/access/rights.js';
import type { ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { AUTHENTICATED } from '../groups.js';
import type { IdentityCaches } from './caches.js';
import type { Identities, KnownTeam, KnownUser } from './interface.js';

/** Everyone who is a user of this service. */
export const MANAGEMENT_AUTHENTICATED = 'management:authenticated';
export const userGroup = (user: string): string => `management:user:${user}`;
export const teamGroup = (team: string): string => TEAM_GROUP + team;

/** So many users are remembered as they were put together. */
const MOST_KNOWN = 10_000;

/**
 * Users and teams from their objects. A user is a member of the teams that name them, or one of the groups of their
 * object. Throws `CacheUnavailable` before the caches are loaded.
 */
export function identitiesOf({ users, teams }: Pick<IdentityCaches, 'users' | 'teams'>): Identities {
  const known = new Map<string, KnownUser>();
  const forgetAll = (): void => known.clear();
  const current = [
    onChanges(
      users,
      (events) => {
        for (const { entry } of events) known.delete(entry.name);
      },
      forgetAll,
    ),
    onChanges(teams, forgetAll, forgetAll),
  ];
  return {
    user(name) {
      for (const ensure of current) ensure();
      const before = known.get(name);
      if (before !== undefined) return before;
      const user = users.latest().get(name)?.object() as User | undefined;
      if (user === undefined) return undefined;
      if (known.size >= MOST_KNOWN) known.clear();
      const now = knownUser(user, teams);
      known.set(name, now);
      return now;
    },
    team(name) {
      const team = teams.latest().get(name)?.object() as Team | undefined;
      return team === undefined || team.metadata.deletionTimestamp !== undefined
        ? undefined
        : knownTeam(team);
    },
  };
}

function knownUser({ metadata, spec = {} }: User, teams: ResourceCache): KnownUser {
  const name = metadata.name ?? '';
  const own = spec.groups ?? [];
  const memberOf: string[] = [];
  for (const entry of teams.latest().entries('')) {
    const { metadata: team, spec: { users = [], groups = [] } = {} } = entry.object() as Team;
    if (team.deletionTimestamp !== undefined) continue;
    if (users.includes(name) || groups.some((group) => own.includes(group))) memberOf.push(entry.name);
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

function knownTeam({ metadata }: Team): KnownTeam {
  const groups = [teamGroup(metadata.name ?? ''), MANAGEMENT_AUTHENTICATED, AUTHENTICATED];
  return { uid: metadata.uid ?? '', groups };
}
