/** Ordinary users who read, list and write, and an administrator who makes their namespaces. */
import { must, type Client } from '../client.js';
import { GROUP, nameOf, objectBody, pathOf, PLURAL, seed } from '../objects.js';
import { ADMIN_TOKEN } from '../targets/target.js';
import type { WireCall } from './wire.js';

export const USERS = 40;
const TEAMS = 8;
const SECRETS = 100;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

const teamOf = (user: number): string => `team-${user % TEAMS}`;
const buildsOf = (user: number): string => `builds-${user % TEAMS}`;
export const tokenOf = (user: number): string => `bench-user-token-${user}`;

/** The lines of `--token-auth-file`. */
export const teamTokens = (): string =>
  [
    `${ADMIN_TOKEN},admin,admin-uid,"system:masters"`,
    ...Array.from(
      { length: USERS },
      (_, user) => `${tokenOf(user)},user-${user},uid-${user},"${teamOf(user)}"`,
    ),
    '',
  ].join('\n');

/** For each team a namespace of secrets that its members may read, and one in which they make secrets of their own. */
export async function seedTeams(admin: Client): Promise<void> {
  for (let team = 0; team < TEAMS; team++) {
    await seed(admin, teamOf(team), SECRETS);
    await seed(admin, buildsOf(team), 0);
    await allow(admin, teamOf(team), teamOf(team), ['get', 'list']);
    await allow(admin, teamOf(team), buildsOf(team), ['create']);
  }
}

async function allow(
  admin: Client,
  group: string,
  namespace: string,
  verbs: readonly string[],
): Promise<void> {
  const post = (plural: string, object: object) =>
    must(admin, {
      method: 'POST',
      path: `${RBAC}/namespaces/${namespace}/${plural}`,
      body: JSON.stringify({ metadata: { name: 'member' }, ...object }),
    });
  await post('roles', { rules: [{ apiGroups: [GROUP], resources: [PLURAL], verbs }] });
  await post('rolebindings', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'member' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  });
}

/** Of ten requests five get a secret of the team, three list all of them (100), and two make one of 1.8 KB. */
const MIX = ['get', 'list', 'get', 'create', 'get', 'list', 'get', 'create', 'get', 'list'] as const;

/** `makes`: `namespace/name` of what it creates. */
export interface TeamCall extends WireCall {
  readonly user: number;
  readonly makes?: string;
}

/** The request of that number. `run` tells names of one run from those of the others. */
export function callAt(index: number, run: string): TeamCall {
  const user = index % USERS;
  // Each user has the whole mix.
  const turn = Math.floor(index / USERS) + user;
  switch (MIX[turn % MIX.length]) {
    case 'list':
      return { user, method: 'GET', path: pathOf(teamOf(user)) };
    case 'create': {
      const name = `made-${run}-${index}`;
      const makes = `${buildsOf(user)}/${name}`;
      return { user, method: 'POST', path: pathOf(buildsOf(user)), body: bodyOf(user, name), makes };
    }
    default:
      return { user, method: 'GET', path: pathOf(teamOf(user), nameOf(turn % SECRETS)) };
  }
}

/** Which of those that were created are not there, by `namespace/name`. */
export async function missingOf(admin: Client, made: readonly string[]): Promise<string[]> {
  const there = new Set<string>();
  for (const namespace of new Set(made.map((one) => one.slice(0, one.indexOf('/'))))) {
    const { body } = await must(admin, { path: `${pathOf(namespace)}?resourceVersion=0` });
    const { items } = JSON.parse(body.toString()) as { items: { metadata: { name: string } }[] };
    for (const { metadata } of items) there.add(`${namespace}/${metadata.name}`);
  }
  return made.filter((one) => !there.has(one));
}

/** Made anew for each, but for what costs most. */
const bodies = new Map<number, readonly string[]>();

function bodyOf(user: number, name: string): Buffer {
  const [before = '', after = ''] =
    bodies.get(user) ??
    objectBody(buildsOf(user), 'NAME', 1).replace('"admin"', `"user-${user}"`).split('NAME');
  bodies.set(user, [before, after]);
  return Buffer.from(`${before}${name}${after}`);
}
