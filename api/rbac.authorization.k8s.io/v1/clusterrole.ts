import { Type } from '../../type.js';
import { labelSelectorSchema } from '../../meta/v1/labelselector.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { policyRuleSchema } from './policyrule.js';

const aggregationRuleSchema = Type.Object(
  {
    clusterRoleSelectors: Type.Optional(
      Type.Array(labelSelectorSchema, {
        description:
          "ClusterRoleSelectors holds a list of selectors which will be used to find ClusterRoles and create the rules. If any of the selectors match, then the ClusterRole's permissions will be added",
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  {
    description: 'AggregationRule describes how to locate ClusterRoles to aggregate into the ClusterRole',
    'x-protobuf': { clusterRoleSelectors: 1 },
    'x-component': 'io.k8s.api.rbac.v1.AggregationRule',
  },
);

export const ClusterRole = defineResource({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  nameRule: 'path',
  unconditionalUpdate: true,
  createOnUpdate: true,
  builtIn: true,
  description:
    'ClusterRole is a cluster level, logical grouping of PolicyRules that can be referenced as a unit by a RoleBinding or ClusterRoleBinding.',
  schema: Type.Object(
    {
      aggregationRule: Type.Optional(
        component(aggregationRuleSchema, {
          description:
            'AggregationRule is an optional field that describes how to build the Rules for this ClusterRole. If AggregationRule is set, then the Rules are controller managed and direct changes to Rules will be stomped by the controller.',
        }),
      ),
      rules: Type.Optional(
        Type.Array(policyRuleSchema, {
          description: 'Rules holds all the PolicyRules for this ClusterRole',
          default: null,
          'x-keep-empty': true,
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, rules: 2, aggregationRule: 3 } },
  ),
});

export type ClusterRole = ObjectOf<typeof ClusterRole>;
