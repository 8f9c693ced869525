/** The roles and bindings that `spec.owner` and `spec.access` of an object come to. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { apiVersionOf } from '../../../api/resource.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC_VERSION = `${RBAC_GROUP}/v1`;
const EVERYONE = 'system:authenticated';
/** On what the server keeps for an object. */
export const MANAGED_BY = { label: 'app.kubernetes.io/managed-by', value: 'management-apiserver' } as const;
const ALL = '*';

/** What users in a team are in; requests of a team's own key have it as their name too. */
export const TEAM_GROUP = 'management:team:';

/** One of `spec.access`, as its schema has it. */
export interface AccessRule {
  readonly name?: string;
  readonly verbs?: readonly string[];
  readonly subresources?: readonly string[];
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
}

/** Who may do everything with an object: a user or a team. */
export interface Owner {
  readonly user?: string;
  readonly team?: string;
}

/** A role, and the binding of the same name that gives it to those whom it is for. */
export interface AccessRole {
  readonly name: string;
  readonly role: KubeObject;
  readonly binding: KubeObject;
}

/** What rights on an object are described by. */
export type AccessKind = Pick<
  ResourceDefinition,
  'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'subresources'
>;

interface AccessSpec {
  readonly owner?: Owner;
  readonly access?: readonly AccessRule[];
}

const specOf = (object: KubeObject): AccessSpec => (object.spec ?? {}) as AccessSpec;

export const ownerOf = (object: KubeObject): Owner => specOf(object).owner ?? {};
export const accessOf = (object: KubeObject): readonly AccessRule[] => specOf(object).access ?? [];

/** Whether kinds of this schema have `spec.access`. */
export function hasAccess({ schema }: ResourceDefinition): boolean {
  const { spec } = schema.properties as { spec?: { properties?: Record<string, unknown> } };
  return spec?.properties?.access !== undefined;
}

/** Plurals of the kinds of the role and of the binding. */
export const roleKinds = (namespaced: boolean): { readonly roles: string; readonly bindings: string } =>
  namespaced
    ? { roles: 'roles', bindings: 'rolebindings' }
    : { roles: 'clusterroles', bindings: 'clusterrolebindings' };

/**
 * The owner's role, which allows everything, and one for each rule, in order. Names of objects hold no colon, so that
 * no two objects share a role. Objects have a uid.
 */
export function accessRoles(kind: AccessKind, object: KubeObject): AccessRole[] {
  const { user = '', team = '' } = ownerOf(object);
  const owner: AccessRule = {
    verbs: [ALL],
    subresources: [ALL],
    users: user === '' ? [] : [user],
    teams: team === '' ? [] : [team],
  };
  const rules = accessOf(object).map((rule, at) => accessRole(kind, object, String(at), rule));
  return user === '' && team === '' ? rules : [accessRole(kind, object, 'owner', owner), ...rules];
}

/** The object that a role of this name is of; undefined: the name is not one of {@link accessRoles}. */
export function objectOfRole(name: string): { readonly plural: string; readonly name: string } | undefined {
  const [, plural, object] = /^management:([^:]+):([^:]+):(?:owner|\d+)$/.exec(name) ?? [];
  return plural === undefined || object === undefined ? undefined : { plural, name: object };
}

function accessRole(kind: AccessKind, object: KubeObject, part: string, rule: AccessRule): AccessRole {
  const { name: objectName = '', namespace, uid = '' } = object.metadata;
  const name = `management:${kind.plural}:${objectName}:${part}`;
  const owner = { apiVersion: apiVersionOf(kind), kind: kind.kind, name: objectName, uid };
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: { [MANAGED_BY.label]: MANAGED_BY.value },
    ownerReferences: [owner],
  };
  const roleKind = kind.namespaced ? 'Role' : 'ClusterRole';
  const subjects = subjectsOf(rule);
  return {
    name,
    role: { kind: roleKind, apiVersion: RBAC_VERSION, metadata, rules: rulesOf(kind, objectName, rule) },
    binding: {
      kind: `${roleKind}Binding`,
      apiVersion: RBAC_VERSION,
      metadata,
      roleRef: { apiGroup: RBAC_GROUP, kind: roleKind, name },
      ...(subjects.length > 0 && { subjects }),
    },
  };
}

/** Null where nothing is allowed: a rule without verbs cannot be. */
function rulesOf(kind: AccessKind, name: string, { verbs = [], subresources = [] }: AccessRule) {
  if (verbs.length === 0) return null;
  const { group, plural } = kind;
  const below = subresources.includes(ALL) ? kind.subresources.map((one) => one.name) : subresources;
  const resources = [plural, ...new Set(below.map((one) => `${plural}/${one}`))];
  return [{ apiGroups: [group], resourceNames: [name], resources, verbs: [...new Set(verbs)] }];
}

/** `*` is everyone who is authenticated. */
function subjectsOf({ users = [], teams = [] }: AccessRule): object[] {
  const everyone = users.includes(ALL) || teams.includes(ALL);
  const named = (names: readonly string[]): string[] => [...new Set(names.filter((one) => one !== ALL))];
  const groups = [...(everyone ? [EVERYONE] : []), ...named(teams).map((team) => TEAM_GROUP + team)];
  return [
    ...named(users).map((name) => ({ apiGroup: RBAC_GROUP, kind: 'User', name })),
    ...groups.map((name) => ({ apiGroup: RBAC_GROUP, kind: 'Group', name })),
  ];
}
