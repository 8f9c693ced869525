import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { subjectAccessReviewSpecSchema } from './subjectaccessreviewspec.js';
import { reviewStatus } from './subjectaccessreviewstatus.js';

export const LocalSubjectAccessReview = defineResource({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
  verbs: ['create'],
  builtIn: true,
  description:
    'LocalSubjectAccessReview checks whether or not a user or group can perform an action in a given namespace. Having a namespace scoped resource makes it much easier to grant namespace scoped policy that includes permissions checking.',
  schema: Type.Object(
    {
      spec: component(subjectAccessReviewSpecSchema, {
        description:
          'spec holds information about the request being evaluated. spec.namespace must be equal to the namespace you made the request against. If empty, it is defaulted.',
        default: {},
      }),
      status: reviewStatus,
    },
    { 'x-protobuf': { metadata: 1, spec: 2, status: 3 } },
  ),
});

export type LocalSubjectAccessReview = ObjectOf<typeof LocalSubjectAccessReview>;
