/** Users and teams of the management API, as far as their tokens depend on them. */
import type { Team } from '../../../api/management.svc.example/v1/team.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import type { KubeObject } from '../../../api/resource.js';
import type { Identities, KnownUser } from '../../management/people/identities/interface.js';
import { knownTeam, knownUser } from '../../management/people/identities/known.js';
import type { ObjectSink } from './follow.js';

export interface People extends Identities {
  readonly users: ObjectSink;
  readonly teams: ObjectSink;
}

type UserPart = Pick<User, 'metadata' | 'spec'> & { readonly teams: readonly string[] };
type TeamPart = Pick<Team, 'metadata' | 'spec'>;

/** Stores only the members that identify users. */
export function people(): People {
  const users = new Map<string, UserPart>();
  const teams = new Map<string, TeamPart>();
  const known = new Map<string, KnownUser>();
  return {
    users: mapSink(users, userPart, (name) => (name === undefined ? known.clear() : known.delete(name))),
    teams: mapSink(teams, teamPart, () => known.clear()),
    user(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const user = users.get(name);
      if (user === undefined) return undefined;
      const byRules = user.teams.map((team) => ({
        rule: '',
        team,
        uid: teams.get(team)?.metadata.uid ?? '',
      }));
      const now = knownUser(user, teams.values(), { given: byRules, time: 0, isOpen: true });
      known.set(name, now);
      return now;
    },
    team(name) {
      const team = teams.get(name);
      return team === undefined || team.metadata.deletionTimestamp !== undefined
        ? undefined
        : knownTeam(team);
    },
  };
}

/** `changed`: called with the name; undefined: all of them. */
export function mapSink<T>(
  entries: Map<string, T>,
  part: (object: KubeObject) => T,
  changed: (name: string | undefined) => void = () => undefined,
): ObjectSink {
  const put = (object: KubeObject): void => void entries.set(object.metadata.name ?? '', part(object));
  return {
    replace(objects) {
      entries.clear();
      for (const object of objects) put(object);
      changed(undefined);
    },
    put(object) {
      put(object);
      changed(object.metadata.name);
    },
    remove({ metadata: { name = '' } }) {
      entries.delete(name);
      changed(name);
    },
  };
}

const identityOf = ({ metadata }: KubeObject): User['metadata'] => ({
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...(metadata.deletionTimestamp !== undefined && { deletionTimestamp: metadata.deletionTimestamp }),
});

/** The server says which teams group rules give, until it says that the login has ended. */
function userPart(object: KubeObject & Pick<User, 'spec' | 'status'>): UserPart {
  const { groups = [], disabled = false, tokenGeneration = 0 } = object.spec ?? {};
  const { ended = false, teams = [] } = object.status?.login ?? {};
  const spec = { groups, disabled, tokenGeneration };
  return { metadata: identityOf(object), spec, teams: ended ? [] : teams };
}

function teamPart(object: KubeObject & Pick<Team, 'spec'>): TeamPart {
  const { users = [], groups = [] } = object.spec ?? {};
  return { metadata: identityOf(object), spec: { users, groups } };
}
