import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { nonResourceAttributesSchema } from './nonresourceattributes.js';
import { resourceAttributesSchema } from './resourceattributes.js';
import { reviewStatus } from './subjectaccessreviewstatus.js';

const selfSubjectAccessReviewSpecSchema = Type.Object(
  {
    nonResourceAttributes: Type.Optional(
      component(nonResourceAttributesSchema, {
        description: 'nonResourceAttributes describes information for a non-resource access request',
      }),
    ),
    resourceAttributes: Type.Optional(
      component(resourceAttributesSchema, {
        description: 'resourceAttributes describes information for a resource access request',
      }),
    ),
  },
  {
    description:
      'SelfSubjectAccessReviewSpec is a description of the access request. Exactly one of resourceAttributes and nonResourceAttributes must be set',
    'x-protobuf': { resourceAttributes: 1, nonResourceAttributes: 2 },
    'x-component': 'io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec',
  },
);

export const SelfSubjectAccessReview = defineResource({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  verbs: ['create'],
  builtIn: true,
  description:
    'SelfSubjectAccessReview checks whether or the current user can perform an action. Not filling in a spec.namespace means "in all namespaces". Self is a special case, because users should always be able to check whether they can perform an action',
  schema: Type.Object(
    {
      spec: component(selfSubjectAccessReviewSpecSchema, {
        description:
          'spec holds information about the request being evaluated. user and groups must be empty',
        default: {},
      }),
      status: reviewStatus,
    },
    { 'x-protobuf': { metadata: 1, spec: 2, status: 3 } },
  ),
});

export type SelfSubjectAccessReview = ObjectOf<typeof SelfSubjectAccessReview>;
