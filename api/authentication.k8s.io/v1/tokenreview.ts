import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { userInfoSchema } from './userinfo.js';

const tokenReviewSpecSchema = Type.Object(
  {
    audiences: Type.Optional(
      Type.Array(Type.String({ description: 'An audience.' }), {
        description:
          'audiences is a list of the identifiers that the resource server presented with the token identifies as. Audience-aware token authenticators will verify that the token was intended for at least one of the audiences in this list. If no audiences are provided, the audience will default to the audience of the Kubernetes apiserver.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    token: Type.String({ description: 'token is the opaque bearer token.' }),
  },
  {
    description: 'TokenReviewSpec is a description of the token authentication request.',
    'x-protobuf': { token: 1, audiences: 2 },
    'x-component': 'io.k8s.api.authentication.v1.TokenReviewSpec',
  },
);

const tokenReviewStatusSchema = Type.Object(
  {
    audiences: Type.Optional(
      Type.Array(Type.String({ description: 'An audience.' }), {
        description:
          'audiences are audience identifiers chosen by the authenticator that are compatible with both the TokenReview and token. An identifier is any identifier in the intersection of the TokenReviewSpec audiences and the token\'s audiences. A client of the TokenReview API that sets the spec.audiences field should validate that a compatible audience identifier is returned in the status.audiences field to ensure that the TokenReview server is audience aware. If a TokenReview returns an empty status.audience field where status.authenticated is "true", the token is valid against the audience of the Kubernetes API server.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    authenticated: Type.Optional(
      Type.Boolean({
        description: 'authenticated indicates that the token was associated with a known user.',
      }),
    ),
    error: Type.Optional(Type.String({ description: "error indicates that the token couldn't be checked" })),
    user: Type.Optional(
      component(userInfoSchema, {
        description: 'user is the UserInfo associated with the provided token.',
        default: {},
      }),
    ),
  },
  {
    description: 'TokenReviewStatus is the result of the token authentication request.',
    'x-protobuf': { authenticated: 1, user: 2, error: 3, audiences: 4 },
    'x-component': 'io.k8s.api.authentication.v1.TokenReviewStatus',
  },
);

export const TokenReview = defineResource({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  verbs: ['create'],
  builtIn: true,
  description:
    'TokenReview attempts to authenticate a token to a known user. Note: TokenReview requests may be cached by the webhook token authenticator plugin in the kube-apiserver.',
  schema: Type.Object(
    {
      spec: component(tokenReviewSpecSchema, {
        description: 'spec holds information about the request being evaluated',
        default: {},
      }),
      status: Type.Optional(
        component(tokenReviewStatusSchema, {
          description:
            'status is filled in by the server and indicates whether the request can be authenticated.',
          default: {},
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, spec: 2, status: 3 } },
  ),
});

export type TokenReview = ObjectOf<typeof TokenReview>;
