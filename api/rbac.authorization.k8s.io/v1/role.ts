import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { policyRuleSchema } from './policyrule.js';

export const Role = defineResource({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
  nameRule: 'path',
  unconditionalUpdate: true,
  createOnUpdate: true,
  builtIn: true,
  description:
    'Role is a namespaced, logical grouping of PolicyRules that can be referenced as a unit by a RoleBinding.',
  schema: Type.Object(
    {
      rules: Type.Optional(
        Type.Array(policyRuleSchema, {
          description: 'Rules holds all the PolicyRules for this Role',
          default: null,
          'x-keep-empty': true,
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, rules: 2 } },
  ),
});

export type Role = ObjectOf<typeof Role>;
