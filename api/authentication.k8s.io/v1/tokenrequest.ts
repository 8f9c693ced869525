import { Type } from '../../type.js';
import { component, time } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';

const boundObjectReferenceSchema = Type.Object(
  {
    apiVersion: Type.Optional(Type.String({ description: 'apiVersion is API version of the referent.' })),
    kind: Type.Optional(
      Type.String({ description: "kind of the referent. Valid kinds are 'Pod' and 'Secret'." }),
    ),
    name: Type.Optional(Type.String({ description: 'name of the referent.' })),
    uid: Type.Optional(Type.String({ description: 'uid of the referent.' })),
  },
  {
    description: 'BoundObjectReference is a reference to an object that a token is bound to.',
    'x-protobuf': { kind: 1, apiVersion: 2, name: 3, uid: 4 },
    'x-component': 'io.k8s.api.authentication.v1.BoundObjectReference',
  },
);

const tokenRequestSpecSchema = Type.Object(
  {
    audiences: Type.Optional(
      Type.Array(Type.String({ description: 'An audience.' }), {
        description:
          'audiences are the intended audiences of the token. A recipient of a token must identify themself with an identifier in the list of audiences of the token, and otherwise should reject the token. A token issued for multiple audiences may be used to authenticate against any of the audiences listed but implies a high degree of trust between the target audiences.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    boundObjectRef: Type.Optional(
      component(boundObjectReferenceSchema, {
        description:
          "boundObjectRef is a reference to an object that the token will be bound to. The token will only be valid for as long as the bound object exists. NOTE: The API server's TokenReview endpoint will validate the BoundObjectRef, but other audiences may not. Keep ExpirationSeconds small if you want prompt revocation.",
      }),
    ),
    expirationSeconds: Type.Optional(
      Type.Integer({
        description:
          "expirationSeconds is the requested duration of validity of the request. The token issuer may return a token with a different validity duration so a client needs to check the 'expiration' field in a response.",
        'x-keep-empty': true,
        format: 'int64',
      }),
    ),
  },
  {
    description: 'TokenRequestSpec contains client provided parameters of a token request.',
    'x-protobuf': { audiences: 1, boundObjectRef: 3, expirationSeconds: 4 },
    'x-component': 'io.k8s.api.authentication.v1.TokenRequestSpec',
  },
);

const tokenRequestStatusSchema = Type.Object(
  {
    expirationTimestamp: Type.Optional(
      time({
        description: 'expirationTimestamp is the time of expiration of the returned token.',
        default: null,
      }),
    ),
    token: Type.Optional(Type.String({ description: 'token is the opaque bearer token.', default: '' })),
  },
  {
    description: 'TokenRequestStatus is the result of a token request.',
    'x-protobuf': { token: 1, expirationTimestamp: 2 },
    'x-component': 'io.k8s.api.authentication.v1.TokenRequestStatus',
  },
);

export const TokenRequest = defineResource({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  namespaced: true,
  verbs: ['create'],
  builtIn: true,
  description: 'TokenRequest requests a token for a given service account.',
  schema: Type.Object(
    {
      spec: Type.Optional(
        component(tokenRequestSpecSchema, {
          description: 'spec holds information about the request being evaluated',
          default: {},
        }),
      ),
      status: Type.Optional(
        component(tokenRequestStatusSchema, {
          description:
            'status is filled in by the server and indicates whether the token can be authenticated.',
          default: {},
        }),
      ),
    },
    { 'x-protobuf': { metadata: 1, spec: 2, status: 3 } },
  ),
});

export type TokenRequest = ObjectOf<typeof TokenRequest>;
