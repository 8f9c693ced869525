/** The rights that `spec.owner`, `spec.access` and `spec.members` of an object grant. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';

const EVERYONE = 'system:authenticated';
export const ALL = '*';

/** The prefix of the group of a user. */
export const USER_GROUP = 'management:user:';
/** The group of a team's members; also the user name of requests with the team's own key. */
export const TEAM_GROUP = 'management:team:';

/** No User or Team has such a name, as names of objects have no colon. */
const PROJECT_KEY = /^management:project:([^:]+):key:([^:]+)$/;

/** The user name of requests with a key of a project. */
export const projectKeyUser = (project: string, key: string): string =>
  `management:project:${project}:key:${key}`;

/** The project and the key of a user name; undefined: it is somebody else's. */
export function projectKeyOf(user: string): { readonly project: string; readonly key: string } | undefined {
  const [, project, key] = PROJECT_KEY.exec(user) ?? [];
  return project === undefined || key === undefined ? undefined : { project, key };
}

/** The teams whose groups are among these. */
export const teamsIn = (groups: readonly string[]): string[] =>
  groups.filter((one) => one.startsWith(TEAM_GROUP)).map((one) => one.slice(TEAM_GROUP.length));

/** An entry of `spec.access`. */
export interface AccessRule {
  readonly name?: string;
  readonly verbs?: readonly string[];
  readonly subresources?: readonly string[];
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
  /** Of secrets: projects whose spaces and virtual clusters may have it. Grants nothing to a user. */
  readonly projects?: readonly string[];
}

/** The owner of an object: a user or a team. */
export interface Owner {
  readonly user?: string;
  readonly team?: string;
}

interface Member {
  readonly kind: string;
  readonly name: string;
}

interface AccessSpec {
  readonly owner?: Owner;
  readonly access?: readonly AccessRule[];
  readonly members?: readonly Member[];
}

/** A key of a project has what its role gives now, and nothing by its name: another key may have that name later. */
const isSomebody = (user: string): boolean => user !== '' && projectKeyOf(user) === undefined;

/** The rights of users and groups on one object. */
export interface ObjectRight {
  readonly by: 'owner' | 'access' | 'members';
  /** `*` stands for all. */
  readonly verbs: readonly string[];
  /** Subresources; `''` is the object itself, `*` stands for all but `except`. */
  readonly subresources: readonly string[];
  readonly except?: readonly string[];
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** The fields of an object that grant rights. */
export type RightsKind = Pick<ResourceDefinition, 'plural' | 'subresources' | 'reservedSubresources'>;

/** The subresources that members of an object may get, by plural. */
export const READ_BY_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  projects: ['clusters', 'members', 'usage'],
};

const NONE: readonly string[] = [];
/** Shared: an index keeps the rights of every object. */
const EVERY_VERB: readonly string[] = [ALL];
const EVERYTHING: readonly string[] = ['', ALL];

const specOf = (object: KubeObject): AccessSpec => object.spec ?? {};

export const ownerOf = (object: KubeObject): Owner => specOf(object).owner ?? {};
export const accessOf = (object: KubeObject): readonly AccessRule[] => specOf(object).access ?? [];

/** Whether kinds of this schema have `spec.access`. */
export function hasAccess({ schema }: ResourceDefinition): boolean {
  const { properties } = membersOf(schema.properties.spec);
  return membersOf(properties).access !== undefined;
}

/** The owner's grant first, then those of the access rules, merged if their rights are equal, then the members'. */
export function rightsOf(kind: RightsKind, object: KubeObject): readonly ObjectRight[] {
  return [...ownerRights(kind, object), ...accessRights(kind, object), ...memberRights(kind, object)];
}

/** Whether the object grants any right. */
export const grantsRights = (kind: RightsKind, object: KubeObject): boolean =>
  [ownerRights, accessRights, memberRights].some((rights) => rights(kind, object).length > 0);

/** Names are literal: `*` matches no user. */
export function ownerRights(
  { reservedSubresources: except }: RightsKind,
  object: KubeObject,
): readonly ObjectRight[] {
  const { user = '', team = '' } = ownerOf(object);
  if (user === '' && team === '') return [];
  const users = isSomebody(user) ? [user] : NONE;
  const groups = team === '' ? NONE : [TEAM_GROUP + team];
  return [{ by: 'owner', verbs: EVERY_VERB, subresources: EVERYTHING, except, users, groups }];
}

/** Merges rules with the same verbs and subresources. Rules without rights or without subjects are omitted. */
export function accessRights(kind: RightsKind, object: KubeObject): readonly ObjectRight[] {
  const rules = accessOf(object);
  const found = new Map<string, { right: ObjectRight; users: Set<string>; groups: Set<string> }>();
  for (const { verbs = [], subresources = [], users = [], teams = [] } of rules) {
    if (verbs.length === 0 || users.length + teams.length === 0) continue;
    const all = subresources.includes(ALL) ? kind.subresources.map(({ name }) => name) : [];
    const below = [...all, ...subresources.filter((one) => one !== ALL)];
    const given = { verbs: distinct(verbs), subresources: distinct(['', ...below]) };
    // Most objects have one rule, and this is asked several times for each write.
    const key =
      rules.length === 1 ? '' : JSON.stringify([given.verbs.toSorted(), given.subresources.toSorted()]);
    const same = found.get(key) ?? {
      right: { by: 'access', ...given, users: NONE, groups: NONE },
      users: new Set<string>(),
      groups: new Set<string>(),
    };
    found.set(key, same);
    if (users.includes(ALL) || teams.includes(ALL)) same.groups.add(EVERYONE);
    for (const user of users) if (user !== ALL && isSomebody(user)) same.users.add(user);
    for (const team of teams) if (team !== ALL) same.groups.add(TEAM_GROUP + team);
  }
  return [...found.values()].map(({ right, users, groups }) => ({
    ...right,
    users: [...users],
    groups: [...groups],
  }));
}

/** All members may read it. */
export function memberRights({ plural }: RightsKind, object: KubeObject): readonly ObjectRight[] {
  const below = READ_BY_MEMBERS[plural];
  const { members = [] } = specOf(object);
  if (below === undefined || members.length === 0) return [];
  const users = new Set<string>();
  const groups = new Set<string>();
  for (const { kind, name } of members) {
    if (name === ALL) groups.add(EVERYONE);
    else if (kind === 'User') users.add(name);
    else groups.add(TEAM_GROUP + name);
  }
  return [
    { by: 'members', verbs: ['get'], subresources: ['', ...below], users: [...users], groups: [...groups] },
  ];
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];
