/** How subjects get a right: a chain of steps, from the subject to the source of the right. */
import { pathOf } from '../paths.js';

/** The right on one object. */
export interface Asked {
  readonly verb: string;
  /** The API group; empty: core. */
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The attributes with which the server authorizes the request: impersonated users are in the core group. */
export const askedOf = ({ group, resource, namespace, name }: Omit<Asked, 'verb'>, verb: string): Asked => ({
  verb,
  resource,
  namespace,
  name,
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
  /** The path of the object in the API; empty: there is no such object. */
  readonly path: string;
  /** The verbs that it grants; absent: it grants none by itself. */
  readonly verbs?: readonly string[];
}

export interface Way {
  /** At least two: the subject, and the source of the right. */
  readonly steps: readonly Step[];
  /** Whether the source of the right may not be read, so that it is unknown whether it grants the right. */
  readonly unsure: boolean;
}

const TEAM_GROUP = 'management:team:';
const USER_GROUP = 'management:user:';
const EVERYONE = ['system:authenticated', 'management:authenticated'];

export const everyone: Step = { kind: 'everyone', name: '', path: '' };

/** Users of the server itself have no object. */
export const userStep = (name: string): Step => {
  if (name.startsWith(TEAM_GROUP)) return teamKeyStep(name.slice(TEAM_GROUP.length));
  return { kind: 'user', name, path: name.startsWith('system:') ? '' : pathOf('users', '', name) };
};

export const teamStep = (name: string): Step => ({ kind: 'team', name, path: pathOf('teams', '', name) });

/** Requests with the keys of the team itself, which are not those of its members. */
export const teamKeyStep = (name: string): Step => ({
  kind: 'teamKey',
  name,
  path: pathOf('teams', '', name),
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

/** The maximum number of ways that are shown. An access rule may name 2,000 teams, each with thousands of members. */
export const MAX_SHOWN_WAYS = 5_000;

/** Replaces each way that begins with a team by one for each known member; returns at most {@link MAX_SHOWN_WAYS}. */
export function throughTeams(ways: readonly Way[], teams: readonly TeamMembers[]): Way[] {
  const byName = new Map(teams.map((team) => [team.name, team]));
  const expanded: Way[] = [];
  for (const way of ways) {
    const left = MAX_SHOWN_WAYS - expanded.length;
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

/** The ways in which a name contains this text; all for an empty text. */
export function waysWith(ways: readonly Way[], text: string): readonly Way[] {
  const wanted = text.trim().toLowerCase();
  return wanted === ''
    ? ways
    : ways.filter(({ steps }) => steps.some(({ name }) => name.toLowerCase().includes(wanted)));
}
