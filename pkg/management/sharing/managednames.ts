/** Names of roles and bindings that the server manages. */

/** The label of objects that the server manages for another object. */
export const MANAGED_BY = { label: 'app.kubernetes.io/managed-by', value: 'management-apiserver' } as const;

/** The prefix of the RoleBindings of a project's members. */
export const MEMBER_BINDING_PREFIX = 'management:project-member:';

/** The prefix of the RoleBindings of a project's access keys. */
export const PROJECT_KEY_BINDING_PREFIX = 'management:project-key:';

const MANAGED = /^management:(?:[^:]*:[^:]*|project-member|project-key):/;
/** `management:sharedsecrets:db:<uid>:0` */
const OF_OBJECT = /^management:([^:]+):([^:]+):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(\d+)$/;

/** Whether only the server may write or bind a role of this name, or write a binding of this name. */
export const isManagedName = (name: string): boolean => MANAGED.test(name);

/** Whether the server manages a RoleBinding of this name in a project's namespace. */
export const isMemberBinding = (name: string): boolean => name.startsWith(MEMBER_BINDING_PREFIX);

/**
 * Whether a role or binding of this name is for the rights on an object. Authorization reads these rights from the
 * object and ignores the role.
 */
export const representsObjectRights = (name: string): boolean => OF_OBJECT.test(name);

/**
 * The ClusterRole, and its binding, by which a host lets all authenticated users request our kinds. This server
 * authorizes the requests, and ignores the role.
 */
export const PROXY_GRANT = 'management:host:requests:all';

/** Whether authorization ignores a role of this name and its bindings. */
export const isIgnoredRole = (name: string): boolean => representsObjectRights(name) || name === PROXY_GRANT;

/** The object of a role, as its name has it. */
export interface RoleObject {
  readonly plural: string;
  readonly name: string;
  readonly uid: string;
}

/** Undefined if the name is not that of an object's role. */
export function objectOfRole(name: string): RoleObject | undefined {
  const [, plural, object, uid] = OF_OBJECT.exec(name) ?? [];
  return plural === undefined || object === undefined || uid === undefined
    ? undefined
    : { plural, name: object, uid };
}

/**
 * Object names contain no colon and uids are unique, so the name cannot be known before the object exists. `at`: of the
 * right among those of access rules.
 */
export const roleName = (plural: string, object: string, uid: string, at: number): string =>
  `${roleNameBeginning(plural, object)}${uid}:${at}`;

/** The beginning of the names of all roles of an object. */
export const roleNameBeginning = (plural: string, object: string): string =>
  `management:${plural}:${object}:`;
