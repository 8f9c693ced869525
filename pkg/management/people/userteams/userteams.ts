/**
 * Keeps the status of users: the teams that they are members of, and what group rules give by their last login. The
 * login ends when no key of a login is left. Keys of logins end with the subject that they were made for.
 */
import { clusterScoped } from '../../../../api/resource.js';
import { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import {
  resourceOf,
  type CachedObject,
  type Controller,
  type ControllerContext,
  type ResourceClient,
} from '../../../controllers/interface.js';
import { targetOf } from '../../../controllers/target.js';
import { sameJson } from '../../../registry/object/metadata.js';
import { openUntil } from '../../grouprules/login.js';
import { currentLogin } from '../../grouprules/loginstatus.js';
import { RuleSet } from '../../grouprules/ruleset.js';
import { createLoginKeys } from './loginkeys.js';
import { createMembership, type Membership, type TeamMembers } from './membership.js';

export const userTeamsController: Controller = {
  name: 'user-teams-controller',
  user: 'user-teams',
  workers: 4,
  start(context) {
    const { client, enqueue, now } = context;
    const users = resourceOf(client, User);
    const membership = createMembership();
    followTeams(context, membership, users, resourceOf(client, Team));
    const rules = followRules(context, users, resourceOf(client, GroupRule));
    const keys = createLoginKeys();
    followKeys(context, keys, resourceOf(client, OwnedAccessKey));
    return {
      async reconcile(name) {
        const user = users.cached(clusterScoped(name))?.object();
        if (user === undefined) return;
        await endOthers(name);
        const { teams: before = [], login: record } = user.status ?? {};
        // The key of a login is written before its record.
        if (record !== undefined && !keys.has(name)) await client.current();
        const state = { rules: rules(), hasKey: keys.has(name), now: now() };
        const login = record && currentLogin(record, state);
        const teams = [...new Set([...membership.teamsOf(name), ...existing(login?.teams)])].sort();
        const ends = openUntil(login, now());
        if (ends !== Infinity) enqueue(name, ends - now());
        if (sameJson(before, teams) && sameJson(record, login)) return;
        const status = { teams, ...(login !== undefined && { login }) };
        const change = (copy: User): User | undefined =>
          sameJson(copy.status?.login, record)
            ? { ...copy, status: { ...copy.status, ...status } }
            : undefined;
        await ignoring([404], users.update(targetOf(user, 'status'), change));
      },
    };

    /** Ends the logins of a subject that is not the user's any more. */
    async function endOthers(name: string): Promise<void> {
      const accessKeys = resourceOf(client, OwnedAccessKey);
      const others = (): CachedObject<OwnedAccessKey>[] => {
        const { subject = '' } = users.cached(clusterScoped(name))?.object().spec ?? {};
        const own = [...keys.of(name)].flatMap((key) => accessKeys.cached(clusterScoped(key)) ?? []);
        return own.filter((key) => (key.object().spec?.identity?.userId ?? '') !== subject);
      };
      if (others().length === 0) return;
      await client.current();
      for (const key of others()) {
        const { uid = '' } = key.object().metadata;
        await ignoring([404, 409], accessKeys.delete(clusterScoped(key.name), { uid }));
      }
    }

    function existing(teams: readonly string[] = []): readonly string[] {
      const there = resourceOf(client, Team);
      return teams.filter((team) => there.cached(clusterScoped(team)) !== undefined);
    }
  },
};

function followTeams(
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

/** All who have logged in: a rule names nobody. */
function followRules(
  { follow, enqueue }: ControllerContext,
  users: ResourceClient<User>,
  rules: ResourceClient<GroupRule>,
): () => RuleSet {
  let current: RuleSet | undefined;
  const changed = (): void => {
    current = undefined;
    for (const user of users.list('')) if (user.object().status?.login !== undefined) enqueue(user.name);
  };
  follow(rules, { replaced: changed, changed, deleted: changed });
  return () => (current ??= new RuleSet([...rules.list('')].map((rule) => rule.object())));
}

function followKeys(
  { follow, enqueue }: ControllerContext,
  keys: ReturnType<typeof createLoginKeys>,
  accessKeys: ResourceClient<OwnedAccessKey>,
): void {
  const set = (key: CachedObject<OwnedAccessKey>, isThere: boolean): void => {
    const user = keys.set(key.object(), isThere);
    if (user !== undefined) enqueue(user);
  };
  follow(accessKeys, {
    replaced() {
      keys.clear();
      for (const key of accessKeys.list('')) set(key, true);
    },
    changed: (key) => set(key, true),
    deleted: (key) => set(key, false),
  });
}

function membersOf(team: Team): TeamMembers {
  const { users = [], groups = [] } = team.spec ?? {};
  return { users, groups };
}

const groupsOf = (user: User): readonly string[] => user.spec?.groups ?? [];
