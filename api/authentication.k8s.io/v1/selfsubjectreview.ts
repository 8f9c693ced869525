import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { userInfoSchema } from './userinfo.js';

const selfSubjectReviewStatusSchema = Type.Object(
  {
    userInfo: Type.Optional(
      component(userInfoSchema, {
        description: 'userInfo is a set of attributes belonging to the user making this request.',
        default: {},
      }),
    ),
  },
  {
    description: 'SelfSubjectReviewStatus is filled by the kube-apiserver and sent back to a user.',
    'x-protobuf': { userInfo: 1 },
    'x-component': 'io.k8s.api.authentication.v1.SelfSubjectReviewStatus',
  },
);

export const SelfSubjectReview = defineResource({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  verbs: ['create'],
  builtIn: true,
  description:
    'SelfSubjectReview contains the user information that the kube-apiserver has about the user making this request. When using impersonation, users will receive the user info of the user being impersonated. If impersonation or request header authentication is used, any extra keys will have their case ignored and returned as lowercase.',
  schema: Type.Object(
    {
      status: Type.Optional(
        component(selfSubjectReviewStatusSchema, {
          description: 'status is filled in by the server with the user attributes.',
          default: {},
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, status: 2 } },
  ),
});

export type SelfSubjectReview = ObjectOf<typeof SelfSubjectReview>;
