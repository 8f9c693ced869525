import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { roleRefSchema } from './roleref.js';
import { bindingSubjects } from './subject.js';

export const ClusterRoleBinding = defineResource({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
  nameRule: 'path',
  unconditionalUpdate: true,
  createOnUpdate: true,
  builtIn: true,
  description:
    'ClusterRoleBinding references a ClusterRole, but not contain it. It can reference a ClusterRole in the global namespace, and adds who information via Subject.',
  schema: Type.Object(
    {
      roleRef: component(roleRefSchema, {
        description:
          'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error. This field is immutable.',
        default: {},
      }),
      subjects: bindingSubjects,
    },
    { 'x-protobuf': { metadata: 1, subjects: 2, roleRef: 3 } },
  ),
});

export type ClusterRoleBinding = ObjectOf<typeof ClusterRoleBinding>;
