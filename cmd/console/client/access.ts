/** The rights that the access rules of an object give to each user and team. */
import { patchSpec } from './one.js';
import { readSecret, type AccessRule, type SecretRef, type SecretView } from './secrets.js';

export interface Grant {
  readonly kind: 'user' | 'team' | 'everyone' | 'all teams';
  /** Empty if the rule applies to everyone. */
  readonly name: string;
  /** Sorted. `*` means all verbs. */
  readonly verbs: readonly string[];
  readonly owner: boolean;
}

function nameOf(kind: 'user' | 'team', name: string): Pick<Grant, 'kind' | 'name'> {
  if (name !== '*') return { kind, name };
  return { kind: kind === 'user' ? 'everyone' : 'all teams', name: '' };
}

/** The grants of an object: the owner first, then by name. */
export function grantsOf({ owner, access }: Pick<SecretView, 'owner' | 'access'>): Grant[] {
  const verbs = new Map<string, Pick<Grant, 'kind' | 'name'> & { readonly given: Set<string> }>();
  const add = (kind: 'user' | 'team', names: readonly string[] = [], given: readonly string[] = []): void => {
    for (const name of names) {
      const of = nameOf(kind, name);
      const key = `${of.kind}/${of.name}`;
      const known = verbs.get(key) ?? { ...of, given: new Set<string>() };
      for (const verb of given) known.given.add(verb);
      verbs.set(key, known);
    }
  };
  for (const rule of access) {
    add('user', rule.users, rule.verbs);
    add('team', rule.teams, rule.verbs);
  }
  const grants = [...verbs.values()].map(({ kind, name, given }): Grant => {
    const all = given.has('*') ? ['*'] : [...given].sort();
    return { kind, name, verbs: all, owner: false };
  });
  grants.sort((one, other) => one.name.localeCompare(other.name));
  const owners: Grant[] = [
    ...(owner.user ? [{ kind: 'user', name: owner.user, verbs: ['*'], owner: true } as const] : []),
    ...(owner.team ? [{ kind: 'team', name: owner.team, verbs: ['*'], owner: true } as const] : []),
  ];
  return [...owners, ...grants];
}

export interface Share {
  readonly users: readonly string[];
  readonly teams: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The rules with one share added. The share joins a rule with the same verbs, so that an object shared with many needs
 * few rules.
 */
export function withShare(access: readonly AccessRule[], { users, teams, verbs }: Share): AccessRule[] {
  const same = (rule: AccessRule): boolean =>
    sorted(rule.verbs) === sorted(verbs) && (rule.subresources ?? []).length === 0;
  const at = access.findIndex(same);
  const found = access[at];
  if (found === undefined) return [...access, { verbs: [...verbs], users: [...users], teams: [...teams] }];
  const joined = { ...found, users: union(found.users, users), teams: union(found.teams, teams) };
  return access.map((rule, index) => (index === at ? joined : rule));
}

/** Gives rights on a secret as it is now, besides those that it gives. Rejects with ApiError. */
export async function addShare(secret: SecretRef, share: Share): Promise<void> {
  const { metadata, spec } = await readSecret(secret);
  await patchSpec(secret.resource, metadata, { access: withShare(spec?.access ?? [], share) });
}

/** The rules without the grants of one user or team. A rule that applies to nobody is removed. */
export function withoutGrant(access: readonly AccessRule[], { kind, name }: Grant): AccessRule[] {
  const wanted = name === '' ? '*' : name;
  const isTeam = kind === 'team' || kind === 'all teams';
  return access
    .map((rule) => ({
      ...rule,
      users: isTeam ? (rule.users ?? []) : (rule.users ?? []).filter((user) => user !== wanted),
      teams: isTeam ? (rule.teams ?? []).filter((team) => team !== wanted) : (rule.teams ?? []),
    }))
    .filter(({ users, teams, projects = [] }) => users.length + teams.length + projects.length > 0);
}

const sorted = (verbs: readonly string[] = []): string => [...verbs].sort().join(',');
const union = (one: readonly string[] = [], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
];
