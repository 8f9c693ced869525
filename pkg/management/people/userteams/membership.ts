/** The members of teams: by name, or by a group that a user and a team have in common. */
export interface Membership {
  /** Undefined: the team was deleted. Returns the users whose teams may have changed. */
  setTeam(name: string, team: TeamMembers | undefined): ReadonlySet<string>;
  /** Undefined: the user was deleted. */
  setUser(name: string, groups: readonly string[] | undefined): void;
  /** The sorted names of the teams of a user. */
  teamsOf(user: string): string[];
  clear(): void;
}

export interface TeamMembers {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

const NONE: TeamMembers = { users: [], groups: [] };

/** The cost of a change depends on the number of affected members. */
export function createMembership(): Membership {
  const teams = new Map<string, TeamMembers>();
  const groupsOf = new Map<string, readonly string[]>();
  const teamsByUser = createIndex();
  const teamsByGroup = createIndex();
  const usersByGroup = createIndex();
  return {
    setTeam(name, team) {
      const before = teams.get(name) ?? NONE;
      const now = team ?? NONE;
      teamsByUser.replace(before.users, now.users, name);
      teamsByGroup.replace(before.groups, now.groups, name);
      if (team === undefined) teams.delete(name);
      else teams.set(name, team);
      const groups = differences(before.groups, now.groups);
      const touched = groups.flatMap((group) => [...usersByGroup.of(group)]);
      return new Set([...differences(before.users, now.users), ...touched]);
    },
    setUser(name, groups) {
      usersByGroup.replace(groupsOf.get(name) ?? [], groups ?? [], name);
      if (groups === undefined) groupsOf.delete(name);
      else groupsOf.set(name, groups);
    },
    teamsOf(user) {
      const byGroup = (groupsOf.get(user) ?? []).flatMap((group) => [...teamsByGroup.of(group)]);
      return [...new Set([...teamsByUser.of(user), ...byGroup])].sort();
    },
    clear() {
      teams.clear();
      groupsOf.clear();
      for (const index of [teamsByUser, teamsByGroup, usersByGroup]) index.clear();
    },
  };
}

function differences(before: readonly string[], now: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(now)];
  return [...before.filter((one) => !has.has(one)), ...now.filter((one) => !had.has(one))];
}

interface Index {
  replace(before: readonly string[], now: readonly string[], value: string): void;
  of(key: string): Iterable<string>;
  clear(): void;
}

function createIndex(): Index {
  const values = new Map<string, Set<string>>();
  return {
    replace(before, now, value) {
      for (const key of before) {
        const found = values.get(key);
        found?.delete(value);
        if (found?.size === 0) values.delete(key);
      }
      for (const key of now) values.set(key, (values.get(key) ?? new Set()).add(value));
    },
    of: (key) => values.get(key) ?? [],
    clear: () => values.clear(),
  };
}
