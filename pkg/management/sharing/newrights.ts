/** Rights that changed access rules add. */
import { TEAM_GROUP, type AccessRule, type Owner } from './rights.js';
import type { Requester } from '../../registry/requester.js';

const ALL = '*';

/** A verb on an object, or on one of its subresources (`''`: the object itself); `*` stands for all. */
export interface Right {
  readonly verb: string;
  readonly subresource: string;
}

/** Whether a user is the owner, or a member of the owning team. */
export function isOwner({ user = '', team = '' }: Owner, { name, groups }: Requester): boolean {
  if (user !== '' && user === name) return true;
  return team !== '' && groups.includes(TEAM_GROUP + team);
}

/**
 * The distinct rights that `next` grants to a subject and `previous` did not. `reserved`: subresources that `*`
 * excludes.
 */
export function newRights(
  next: readonly AccessRule[],
  previous: readonly AccessRule[],
  reserved: readonly string[] = [],
): Right[] {
  const before = new Map<string, Set<string>>();
  for (const rule of previous) {
    for (const subject of subjectsOf(rule)) {
      const had = before.get(subject) ?? new Set<string>();
      before.set(subject, had);
      for (const right of rightsOf(rule)) had.add(keyOf(right));
    }
  }
  const found = new Map<string, Right>();
  for (const rule of next) {
    const rights = rightsOf(rule);
    for (const subject of subjectsOf(rule)) {
      const had = before.get(subject);
      for (const right of rights) if (!had || !covers(had, right, reserved)) found.set(keyOf(right), right);
    }
  }
  return [...found.values()];
}

const keyOf = ({ verb, subresource }: Right): string => `${subresource}/${verb}`;

function covers(
  had: ReadonlySet<string>,
  { verb, subresource }: Right,
  reserved: readonly string[],
): boolean {
  const anywhere = subresource === '' || reserved.includes(subresource) ? [subresource] : [subresource, ALL];
  return anywhere.some(
    (at) => had.has(keyOf({ verb, subresource: at })) || had.has(keyOf({ verb: ALL, subresource: at })),
  );
}

function rightsOf({ verbs = [], subresources = [] }: AccessRule): Right[] {
  return ['', ...subresources].flatMap((subresource) => verbs.map((verb) => ({ verb, subresource })));
}

function subjectsOf({ users = [], teams = [], projects = [] }: AccessRule): string[] {
  return [
    ...users.map((user) => `user:${user}`),
    ...teams.map((team) => `team:${team}`),
    ...projects.map((project) => `project:${project}`),
  ];
}
