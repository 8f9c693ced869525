/** How people come to a right: step by step, from whom it is given to what gives it. */
import { pathOf } from '../paths.js';

/** The question: who has this right on one object. */
export interface Asked {
  readonly verb: string;
  /** Of the API; empty: core. */
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** As the server asks: whom somebody may act as are users of no API group. */
export const askedOf = ({ group, resource, namespace, name }: Omit<Asked, 'verb'>, verb: string): Asked => ({
  ...{ verb, resource, namespace, name },
  group: verb === 'impersonate' && resource === 'users' ? '' : group,
});

export type StepKind =
  | 'user'
  | 'team'
  | 'teamKey'
  | 'group'
  | 'everyone'
  | 'serviceAccount'
  | 'owner'
  | 'accessRule'
  | 'membership'
  | 'itself'
  | 'roleBinding'
  | 'clusterRoleBinding'
  | 'role'
  | 'clusterRole';

export interface Step {
  readonly kind: StepKind;
  readonly name: string;
  /** Of the object in the API; empty: there is none to be gone to. */
  readonly path: string;
  /** What it gives; absent: it gives nothing by itself. */
  readonly verbs?: readonly string[];
}

export interface Way {
  /** At least two: who, and by what. */
  readonly steps: readonly Step[];
  /** Whether what gives the right could not be seen, so that it may give it or not. */
  readonly unsure: boolean;
}

const TEAM_GROUP = 'management:team:';
const USER_GROUP = 'management:user:';
const EVERYONE = ['system:authenticated', 'management:authenticated'];

export const everyone: Step = { kind: 'everyone', name: '', path: '' };

/** Names of the server's own users have no object. */
export const userStep = (name: string): Step => {
  if (name.startsWith(TEAM_GROUP)) return teamKeyStep(name.slice(TEAM_GROUP.length));
  return { kind: 'user', name, path: name.startsWith('system:') ? '' : pathOf('users', '', name) };
};

export const teamStep = (name: string): Step => ({ kind: 'team', name, path: pathOf('teams', '', name) });

/** The requests of a team's own keys, which are not those of its members. */
export const teamKeyStep = (name: string): Step => ({
  ...{ kind: 'teamKey', name, path: pathOf('teams', '', name) },
});

export function groupStep(name: string): Step {
  if (EVERYONE.includes(name)) return everyone;
  if (name.startsWith(TEAM_GROUP)) return teamStep(name.slice(TEAM_GROUP.length));
  if (name.startsWith(USER_GROUP)) return userStep(name.slice(USER_GROUP.length));
  return { kind: 'group', name, path: '' };
}

export interface TeamMembers {
  readonly name: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** So many are told. Whoever writes an access rule may name 2,000 teams, each with thousands of members. */
export const MAX_WAYS = 5_000;

/**
 * Ways that begin with a team, once for each of its members as far as they are known; in all the first {@link MAX_WAYS}.
 */
export function throughTeams(ways: readonly Way[], teams: readonly TeamMembers[]): Way[] {
  const byName = new Map(teams.map((team) => [team.name, team]));
  const expanded: Way[] = [];
  for (const way of ways) {
    const left = MAX_WAYS - expanded.length;
    if (left === 0) break;
    const [first] = way.steps;
    const team = first?.kind === 'team' ? byName.get(first.name) : undefined;
    const { users = [], groups = [] } = team ?? {};
    const members = [...users.slice(0, left).map(userStep), ...groups.slice(0, left).map(groupStep)];
    if (members.length === 0) expanded.push(way);
    else
      expanded.push(...members.slice(0, left).map((member) => ({ ...way, steps: [member, ...way.steps] })));
  }
  return expanded;
}

/** Those in which a name has this text; all for an empty one. */
export function waysWith(ways: readonly Way[], text: string): readonly Way[] {
  const wanted = text.trim().toLowerCase();
  return wanted === ''
    ? ways
    : ways.filter(({ steps }) => steps.some(({ name }) => name.toLowerCase().includes(wanted)));
}
