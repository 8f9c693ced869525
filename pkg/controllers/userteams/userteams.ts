/** Keeps `status.teams` of users: the teams that they are members of. */
import type { Team } from '../../../api/management.svc.example/v1/team.js';
import type { User } from '../../../api/management.svc.example/v1/user.js';
import type { KubeObject } from '../../../api/resource.js';
import { ignoring } from '../ignorederrors.js';
import type { Controller, ControllerContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';
import type { Membership, TeamMembers } from './membership.js';
import { createMembership } from './membership.js';

const GROUP = 'management.svc.example';

export const userTeamsController: Controller = {
  name: 'user-teams-controller',
  user: 'user-teams',
  workers: 4,
  start(context) {
    const users = resourceOf(context.client, GROUP, 'users');
    const membership = createMembership();
    follow(context, membership, users, resourceOf(context.client, GROUP, 'teams'));
    return {
      async reconcile(name) {
        const teams = membership.teamsOf(name);
        const user = users.cached('', name)?.object() as User | undefined;
        if (user === undefined || sameNames(user.status?.teams ?? [], teams)) return;
        const target = { namespace: '', name, uid: user.metadata.uid as string, subresource: 'status' };
        await ignoring(
          [404],
          users.update(target, (copy) => ({ ...copy, status: { ...(copy as User).status, teams } })),
        );
      },
    };
  },
};

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, at) => name === b[at]);

function follow(
  { follow: followOne, enqueue }: ControllerContext,
  membership: Membership,
  users: ResourceClient,
  teams: ResourceClient,
): void {
  // Teams first: what is told of users finds them.
  followOne(teams, {
    replaced() {
      membership.clear();
      for (const team of teams.list('')) membership.setTeam(team.name, membersOf(team.object()));
      for (const user of users.list('')) {
        membership.setUser(user.name, groupsOf(user.object()));
        enqueue(user.name);
      }
    },
    changed(team) {
      for (const user of membership.setTeam(team.name, membersOf(team.object()))) enqueue(user);
    },
    deleted({ name }) {
      for (const user of membership.setTeam(name, undefined)) enqueue(user);
    },
  });
  followOne(users, {
    replaced() {
      for (const user of users.list('')) this.changed(user, undefined);
    },
    changed(user) {
      membership.setUser(user.name, groupsOf(user.object()));
      enqueue(user.name);
    },
    deleted: ({ name }) => membership.setUser(name, undefined),
  });
}

function membersOf(team: KubeObject): TeamMembers {
  const { users = [], groups = [] } = (team as Team).spec ?? {};
  return { users, groups };
}

const groupsOf = (user: KubeObject): readonly string[] => (user as User).spec?.groups ?? [];
