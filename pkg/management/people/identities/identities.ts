import type { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { ResourceCache } from '../../../cache/interface.js';
import { onChanges } from '../../../cache/watch/informer.js';
import type { IdentityCaches } from './caches.js';
import type { Identities, KnownUser } from './interface.js';
import { knownTeam, knownUser } from './known.js';

export { MANAGEMENT_AUTHENTICATED, teamGroup } from './known.js';

/** Maximum number of cached users. */
const MAX_CACHED_USERS = 10_000;

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
      const user = users.latest().get(name)?.object();
      if (user === undefined) return undefined;
      if (known.size >= MAX_CACHED_USERS) known.clear();
      const now = knownUser(user, objectsOf(teams));
      known.set(name, now);
      return now;
    },
    team(name) {
      const team = teams.latest().get(name)?.object();
      return team === undefined || team.metadata.deletionTimestamp !== undefined
        ? undefined
        : knownTeam(team);
    },
  };
}

function* objectsOf(teams: ResourceCache<Team>): Generator<Team> {
  for (const entry of teams.latest().entries('')) yield entry.object();
}
