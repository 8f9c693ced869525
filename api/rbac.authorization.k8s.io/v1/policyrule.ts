import { Type } from '../../type.js';

export const policyRuleSchema = Type.Object(
  {
    apiGroups: Type.Optional(
      Type.Array(Type.String({ description: 'Name of an API group.' }), {
        description:
          'APIGroups is the name of the APIGroup that contains the resources. If multiple API groups are specified, any action requested against one of the enumerated resources in any API group will be allowed. "" represents the core API group and "*" represents all API groups.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    nonResourceURLs: Type.Optional(
      Type.Array(Type.String({ description: 'A path, or the beginning of one before *.' }), {
        description:
          'NonResourceURLs is a set of partial urls that a user should have access to. *s are allowed, but only as the full, final step in the path Since non-resource URLs are not namespaced, this field is only applicable for ClusterRoles referenced from a ClusterRoleBinding. Rules can either apply to API resources (such as "pods" or "secrets") or non-resource URL paths (such as "/api"), but not both.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    resourceNames: Type.Optional(
      Type.Array(Type.String({ description: 'Name of an object.' }), {
        description:
          'ResourceNames is an optional white list of names that the rule applies to. An empty set means that everything is allowed.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    resources: Type.Optional(
      Type.Array(Type.String({ description: 'Plural name of a resource, or resource/subresource.' }), {
        description: "Resources is a list of resources this rule applies to. '*' represents all resources.",
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    verbs: Type.Array(Type.String({ description: 'A verb, such as get.' }), {
      description:
        "Verbs is a list of Verbs that apply to ALL the ResourceKinds contained in this rule. '*' represents all verbs.",
      'x-kubernetes-list-type': 'atomic',
    }),
  },
  {
    description:
      'PolicyRule holds information that describes a policy rule, but does not contain information about who the rule applies to or which namespace the rule applies to.',
    'x-protobuf': { verbs: 1, apiGroups: 2, resources: 3, resourceNames: 4, nonResourceURLs: 5 },
    'x-component': 'io.k8s.api.rbac.v1.PolicyRule',
  },
);
