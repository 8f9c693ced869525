import { Type } from '../../type.js';
import { labelSelectorRequirementSchema } from '../../meta/v1/labelselectorrequirement.js';
import { component, stringMap } from '../../meta/v1/schema.js';
import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';
import { policyRuleSchema } from './policyrule.js';

const labelSelectorSchema = Type.Object(
  {
    matchExpressions: Type.Optional(
      Type.Array(labelSelectorRequirementSchema, {
        description: 'matchExpressions is a list of label selector requirements. The requirements are ANDed.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    matchLabels: Type.Optional(
      stringMap({
        description:
          'matchLabels is a map of {key,value} pairs. A single {key,value} in the matchLabels map is equivalent to an element of matchExpressions, whose key field is "key", the operator is "In", and the values array contains only "value". The requirements are ANDed.',
      }),
    ),
  },
  {
    description:
      'A label selector is a label query over a set of resources. The result of matchLabels and matchExpressions are ANDed. An empty label selector matches all objects. A null label selector matches no objects.',
    'x-protobuf': { matchLabels: 1, matchExpressions: 2 },
    'x-component': 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
    'x-kubernetes-map-type': 'atomic',
  },
);

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
