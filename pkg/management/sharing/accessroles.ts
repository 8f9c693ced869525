/** Roles and bindings for the rights on an object that access rules give. */
import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../api/resource.js';
import { MANAGED_BY, roleName } from './managednames.js';
import { ALL, accessRights, type ObjectRight, type RightsKind } from './rights.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC_VERSION = `${RBAC_GROUP}/v1`;

/** A role, and the binding of the same name for its subjects, both without their namespace. */
export interface AccessRole {
  readonly name: string;
  readonly role: KubeObject;
  readonly binding: KubeObject;
}

/** The part of a definition that roles depend on. */
type AccessKind = Pick<
  ResourceDefinition,
  'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'subresources' | 'reservedSubresources'
>;

/** The plurals of the role's and the binding's kinds. */
export const roleKinds = (namespaced: boolean): { readonly roles: string; readonly bindings: string } =>
  namespaced
    ? { roles: 'roles', bindings: 'rolebindings' }
    : { roles: 'clusterroles', bindings: 'clusterrolebindings' };

/** Of the rights by access rules; those of owners and members need none. The object must have a uid. */
export const accessRoles = (kind: AccessKind, object: KubeObject): AccessRole[] =>
  accessRights(kind, object).map((right, at) => accessRole(kind, object, at, right));

/** Of {@link accessRoles}, in the same order. */
export const accessRoleNames = (kind: AccessKind, object: KubeObject): string[] =>
  accessRights(kind, object).map((_, at) => nameOf(kind, object, at));

const nameOf = (
  { plural }: AccessKind,
  { metadata: { name = '', uid = '' } }: KubeObject,
  at: number,
): string => roleName(plural, name, uid, at);

function accessRole(kind: AccessKind, object: KubeObject, at: number, right: ObjectRight): AccessRole {
  const { name: objectName = '', uid = '' } = object.metadata;
  const name = nameOf(kind, object, at);
  const owner = { apiVersion: apiVersionOf(kind), kind: kind.kind, name: objectName, uid };
  const metadata = {
    name,
    labels: { [MANAGED_BY.label]: MANAGED_BY.value },
    ownerReferences: [owner],
  };
  const roleKind = kind.namespaced ? 'Role' : 'ClusterRole';
  return {
    name,
    role: {
      kind: roleKind,
      apiVersion: RBAC_VERSION,
      metadata,
      rules: [
        {
          apiGroups: [kind.group],
          resourceNames: [objectName],
          resources: resourcesOf(kind, right),
          verbs: right.verbs,
        },
      ],
    },
    binding: {
      kind: `${roleKind}Binding`,
      apiVersion: RBAC_VERSION,
      metadata,
      roleRef: { apiGroup: RBAC_GROUP, kind: roleKind, name },
      subjects: [
        ...right.users.map((user) => ({ apiGroup: RBAC_GROUP, kind: 'User', name: user })),
        ...right.groups.map((group) => ({ apiGroup: RBAC_GROUP, kind: 'Group', name: group })),
      ],
    },
  };
}

/** The resources of a rule for this right: `sharedsecrets`, `sharedsecrets/status`. */
export function resourcesOf({ plural, subresources }: RightsKind, right: ObjectRight): string[] {
  const all = right.subresources.includes(ALL) ? subresources.map(({ name }) => name) : [];
  const given = [...all.filter((one) => !right.except?.includes(one)), ...right.subresources];
  const below = new Set(given.filter((one) => one !== ALL && one !== ''));
  return [plural, ...[...below].map((one) => `${plural}/${one}`)];
}
