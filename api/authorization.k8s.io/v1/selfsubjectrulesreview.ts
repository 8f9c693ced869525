import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';

const selfSubjectRulesReviewSpecSchema = Type.Object(
  {
    namespace: Type.Optional(Type.String({ description: 'namespace to evaluate rules for. Required.' })),
  },
  {
    description: 'SelfSubjectRulesReviewSpec defines the specification for SelfSubjectRulesReview.',
    'x-protobuf': { namespace: 1 },
    'x-component': 'io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec',
  },
);

const nonResourceRuleSchema = Type.Object(
  {
    nonResourceURLs: Type.Optional(
      Type.Array(Type.String({ description: 'A path, or one that ends in *.' }), {
        description:
          'nonResourceURLs is a set of partial urls that a user should have access to. *s are allowed, but only as the full, final step in the path. "*" means all.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    verbs: Type.Array(Type.String({ description: 'A verb, such as get.' }), {
      description:
        'verbs is a list of kubernetes non-resource API verbs, like: get, post, put, delete, patch, head, options. "*" means all.',
      'x-kubernetes-list-type': 'atomic',
    }),
  },
  {
    description: 'NonResourceRule holds information that describes a rule for the non-resource',
    'x-protobuf': { verbs: 1, nonResourceURLs: 2 },
    'x-component': 'io.k8s.api.authorization.v1.NonResourceRule',
  },
);

const resourceRuleSchema = Type.Object(
  {
    apiGroups: Type.Optional(
      Type.Array(Type.String({ description: 'A group; the core group is the empty text.' }), {
        description:
          'apiGroups is the name of the APIGroup that contains the resources. If multiple API groups are specified, any action requested against one of the enumerated resources in any API group will be allowed. "*" means all.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    resourceNames: Type.Optional(
      Type.Array(Type.String({ description: 'A name.' }), {
        description:
          'resourceNames is an optional white list of names that the rule applies to. An empty set means that everything is allowed. "*" means all.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    resources: Type.Optional(
      Type.Array(Type.String({ description: 'A resource, such as secrets.' }), {
        description:
          'resources is a list of resources this rule applies to. "*" means all in the specified apiGroups. "*/foo" represents the subresource \'foo\' for all resources in the specified apiGroups.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    verbs: Type.Array(Type.String({ description: 'A verb, such as get.' }), {
      description:
        'verbs is a list of kubernetes resource API verbs, like: get, list, watch, create, update, delete, proxy. "*" means all.',
      'x-kubernetes-list-type': 'atomic',
    }),
  },
  {
    description:
      "ResourceRule is the list of actions the subject is allowed to perform on resources. The list ordering isn't significant, may contain duplicates, and possibly be incomplete.",
    'x-protobuf': { verbs: 1, apiGroups: 2, resources: 3, resourceNames: 4 },
    'x-component': 'io.k8s.api.authorization.v1.ResourceRule',
  },
);

const subjectRulesReviewStatusSchema = Type.Object(
  {
    evaluationError: Type.Optional(
      Type.String({
        description:
          "evaluationError can appear in combination with Rules. It indicates an error occurred during rule evaluation, such as an authorizer that doesn't support rule evaluation, and that ResourceRules and/or NonResourceRules may be incomplete.",
      }),
    ),
    incomplete: Type.Boolean({
      description:
        "incomplete is true when the rules returned by this call are incomplete. This is most commonly encountered when an authorizer, such as an external authorizer, doesn't support rules evaluation.",
      default: false,
    }),
    nonResourceRules: Type.Array(nonResourceRuleSchema, {
      description:
        "nonResourceRules is the list of actions the subject is allowed to perform on non-resources. The list ordering isn't significant, may contain duplicates, and possibly be incomplete.",
      'x-kubernetes-list-type': 'atomic',
    }),
    resourceRules: Type.Array(resourceRuleSchema, {
      description:
        "resourceRules is the list of actions the subject is allowed to perform on resources. The list ordering isn't significant, may contain duplicates, and possibly be incomplete.",
      'x-kubernetes-list-type': 'atomic',
    }),
  },
  {
    description:
      "SubjectRulesReviewStatus contains the result of a rules check. This check can be incomplete depending on the set of authorizers the server is configured with and any errors experienced during evaluation. Because authorization rules are additive, if a rule appears in a list it's safe to assume the subject has that permission, even if that list is incomplete.",
    'x-protobuf': { resourceRules: 1, nonResourceRules: 2, incomplete: 3, evaluationError: 4 },
    'x-component': 'io.k8s.api.authorization.v1.SubjectRulesReviewStatus',
  },
);

export const SelfSubjectRulesReview = defineResource({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  verbs: ['create'],
  builtIn: true,
  description:
    "SelfSubjectRulesReview enumerates the set of actions the current user can perform within a namespace. The returned list of actions may be incomplete depending on the server's authorization mode, and any errors experienced during the evaluation. SelfSubjectRulesReview should be used by UIs to show/hide actions, or to quickly let an end user reason about their permissions. It should NOT Be used by external systems to drive authorization decisions as this raises confused deputy, cache lifetime/revocation, and correctness concerns. SubjectAccessReview, and LocalAccessReview are the correct way to defer authorization decisions to the API server.",
  schema: Type.Object(
    {
      spec: component(selfSubjectRulesReviewSpecSchema, {
        description: 'spec holds information about the request being evaluated.',
        default: {},
      }),
      status: Type.Optional(
        component(subjectRulesReviewStatusSchema, {
          description:
            'status is filled in by the server and indicates the set of actions a user can perform.',
          default: {},
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, spec: 2, status: 3 } },
  ),
});

export type SelfSubjectRulesReview = ObjectOf<typeof SelfSubjectRulesReview>;
