import type { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { User } from '../../../../api/management.svc.example/v1/user.js';
import type { ResourceCache } from '../../../cache/interface.js';
import { onChanges } from '../../../cache/watch/informer.js';
import { isOpen, openUntil, timeOf } from '../../grouprules/login.js';
import { currentRules } from '../../grouprules/ruleset.js';
import type { IdentityCaches } from './caches.js';
import type { Identities, KnownUser } from './interface.js';
import { knownTeam, knownUser, type ByLogin } from './known.js';

export { MANAGEMENT_AUTHENTICATED, teamGroup } from './known.js';

/** Maximum number of cached users. */
const MAX_CACHED_USERS = 10_000;

/** `until`: when it may be otherwise with nothing having changed, in ms since 1970. */
interface Cached {
  readonly known: KnownUser;
  readonly until: number;
}

/**
 * Users and teams from their objects. A user is a member of the teams that name them, or one of the groups of their
 * object, and of those that group rules give. Throws `CacheUnavailable` before the caches are loaded. `now`: ms since 1970.
 */
export function identitiesOf(
  { users, teams, rules }: Pick<IdentityCaches, 'users' | 'teams' | 'rules'>,
  now: () => number = Date.now,
): Identities {
  const known = new Map<string, Cached>();
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
  const rulesNow = currentRules(rules, forgetAll);
  const byLogin = ({ status }: User): ByLogin | undefined => {
    const { login } = status ?? {};
    if (login?.claims === undefined) return undefined;
    return { given: rulesNow().given(login), time: timeOf(login), isOpen: isOpen(login, now()) };
  };
  return {
    user(name) {
      for (const ensure of current) ensure();
      rulesNow();
      const before = known.get(name);
      if (before !== undefined && before.until > now()) return before.known;
      const user = users.latest().get(name)?.object();
      if (user === undefined) return undefined;
      if (known.size >= MAX_CACHED_USERS) known.clear();
      const found = knownUser(user, objectsOf(teams), byLogin(user));
      known.set(name, { known: found, until: openUntil(user.status?.login, now()) });
      return found;
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
