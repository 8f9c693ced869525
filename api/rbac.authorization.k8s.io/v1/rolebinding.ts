import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { roleRefSchema } from './roleref.js';
import { bindingSubjects } from './subject.js';

export const RoleBinding = defineResource({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
  nameRule: 'path',
  unconditionalUpdate: true,
  createOnUpdate: true,
  builtIn: true,
  description:
    'RoleBinding references a role, but does not contain it. It can reference a Role in the same namespace or a ClusterRole in the global namespace. It adds who information via Subjects and namespace information by which namespace it exists in. RoleBindings in a given namespace only have effect in that namespace.',
  schema: Type.Object(
    {
      roleRef: component(roleRefSchema, {
        description:
          'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error. This field is immutable.',
        default: {},
      }),
      subjects: bindingSubjects,
    },
    { 'x-protobuf': { metadata: 1, subjects: 2, roleRef: 3 } },
  ),
});

export type RoleBinding = ObjectOf<typeof RoleBinding>;
