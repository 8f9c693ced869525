/** Names of roles and bindings that are the server's alone. */

/** The label of what the server keeps for an object. */
export const MANAGED_BY = { label: 'app.kubernetes.io/managed-by', value: 'management-apiserver' } as const;

/** What the names of the RoleBindings of a project's members begin with. */
export const MEMBER_BINDING_PREFIX = 'management:project-member:';

/** `management:sharedsecrets:db:<uid>:0`; releases before had `management:sharedsecrets:db:0`. */
const MANAGED = /^management:(?:[^:]*:[^:]*|project-member):/;
const OF_OBJECT =
  /^management:([^:]+):([^:]+):(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):)?(owner|members|\d+)$/;

/** Whether only the server makes, changes and binds a role of this name, and makes and changes a binding. */
export const isManagedName = (name: string): boolean => MANAGED.test(name);

/** Whether a RoleBinding of this name in a project's namespace is the server's. */
export const isMemberBinding = (name: string): boolean => name.startsWith(MEMBER_BINDING_PREFIX);

/**
 * Whether a role or binding of this name is of an object's rights: these are judged from the object itself, so that
 * nothing is to be read from it.
 */
export const representsObjectRights = (name: string): boolean => OF_OBJECT.test(name);

/**
 * The ClusterRole, and its binding, by which an API server in front lets everybody who is authenticated ask for our kinds: it
 * is no right to anything, as this server decides.
 */
export const PROXY_GRANT = 'management:host:requests:all';

/** Whether nothing is to be read from a role of this name, nor from what binds it. */
export const isIgnoredRole = (name: string): boolean => representsObjectRights(name) || name === PROXY_GRANT;

/** The object that a role is of, as its name has it. */
export interface RoleObject {
  readonly plural: string;
  readonly name: string;
  /** Undefined: named by a release that left it out. */
  readonly uid: string | undefined;
  /** `owner`, `members`, or the number of an access rule. */
  readonly part: string;
}

/** Undefined: the name is not one of an object's roles. */
export function objectOfRole(name: string): RoleObject | undefined {
  const [, plural, object, uid, part] = OF_OBJECT.exec(name) ?? [];
  return plural === undefined || object === undefined || part === undefined
    ? undefined
    : { plural, name: object, uid, part };
}

/** Names of objects hold no colon, and no two objects have a uid, so nobody can know the name before the object is there. */
export const roleName = (plural: string, object: string, uid: string, part: string): string =>
  `management:${plural}:${object}:${uid}:${part}`;
