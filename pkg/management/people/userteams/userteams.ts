/** Keeps `status.teams` of users: the teams that they are members of. */
import { clusterScoped } from '../../../../api/resource.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import {
  resourceOf,
  type Controller,
  type ControllerContext,
  type ResourceClient,
} from '../../../controllers/interface.js';
import { targetOf } from '../../../controllers/target.js';
import { createMembership, type Membership, type TeamMembers } from './membership.js';

export const userTeamsController: Controller = {
  name: 'user-teams-controller',
  user: 'user-teams',
  workers: 4,
  start(context) {
    const users = resourceOf(context.client, User);
    const membership = createMembership();
    follow(context, membership, users, resourceOf(context.client, Team));
    return {
      async reconcile(name) {
        const teams = membership.teamsOf(name);
        const user = users.cached(clusterScoped(name))?.object();
        if (user === undefined || sameNames(user.status?.teams ?? [], teams)) return;
        await ignoring(
          [404],
          users.update(targetOf(user, 'status'), (copy) => ({ ...copy, status: { ...copy.status, teams } })),
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
  users: ResourceClient<User>,
  teams: ResourceClient<Team>,
): void {
  // Teams first, so that changes of users find them.
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

function membersOf(team: Team): TeamMembers {
  const { users = [], groups = [] } = team.spec ?? {};
  return { users, groups };
}

const groupsOf = (user: User): readonly string[] => user.spec?.groups ?? [];
