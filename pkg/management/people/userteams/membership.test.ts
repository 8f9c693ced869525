import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMembership, type TeamMembers } from './membership.js';

const some = (...names: string[]) => fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 });
const user = fc.constantFrom('u', 'v', 'w');
const groups = some('g', 'h');
const step = fc.oneof(
  fc.record({
    team: fc.constantFrom('a', 'b', 'c'),
    members: fc.option(fc.record({ users: some('u', 'v', 'w'), groups })),
  }),
  fc.record({ user, groups: fc.option(groups) }),
);

test('finds the teams that name a user or one of their groups, and reports affected users', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const membership = createMembership();
      const teams = new Map<string, TeamMembers>();
      const users = new Map<string, readonly string[]>();
      const expected = (name: string): string[] =>
        [...teams]
          .filter(
            ([, team]) =>
              team.users.includes(name) || team.groups.some((one) => users.get(name)?.includes(one)),
          )
          .map(([team]) => team)
          .sort();
      for (const one of steps) {
        const before = ['u', 'v', 'w'].map(expected);
        if ('team' in one) {
          if (one.members === null) teams.delete(one.team);
          else teams.set(one.team, one.members);
          const touched = membership.setTeam(one.team, one.members ?? undefined);
          for (const [at, name] of ['u', 'v', 'w'].entries())
            if (String(expected(name)) !== String(before[at])) expect(touched).toContain(name);
        } else {
          if (one.groups === null) users.delete(one.user);
          else users.set(one.user, one.groups);
          membership.setUser(one.user, one.groups ?? undefined);
        }
        for (const name of ['u', 'v', 'w']) expect(membership.teamsOf(name)).toEqual(expected(name));
      }
    }),
  );
});
