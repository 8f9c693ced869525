import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { subjectAccessReviewSpecSchema } from './subjectaccessreviewspec.js';
import { reviewStatus } from './subjectaccessreviewstatus.js';

export const SubjectAccessReview = defineResource({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
  verbs: ['create'],
  builtIn: true,
  description: 'SubjectAccessReview checks whether or not a user or group can perform an action.',
  schema: Type.Object(
    {
      spec: component(subjectAccessReviewSpecSchema, {
        description: 'spec holds information about the request being evaluated',
        default: {},
      }),
      status: reviewStatus,
    },
    { 'x-protobuf': { metadata: 1, spec: 2, status: 3 } },
  ),
});

export type SubjectAccessReview = ObjectOf<typeof SubjectAccessReview>;
