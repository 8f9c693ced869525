import { Type } from '../../type.js';
import { time } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { scopeSchema } from './scope.js';
import { MAX_DOCUMENT, MAX_TEXT, text } from './fields.js';

/** A credential for connected clusters: POST returns it, and what is stored is a record of it. */
export const DirectClusterEndpointToken = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'DirectClusterEndpointToken',
  plural: 'directclusterendpointtokens',
  namespaced: false,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'],
  selectableFields: ['spec.cluster', 'status.team', 'status.user'],
  description:
    'DirectClusterEndpointToken requests a token for the caller that connected clusters verify by themselves, so that requests to them need not go through this server. The server keeps a record of each token, without the token and without a scope of more than 2048 bytes of JSON, until it expires. The name of the record is the ID of the token (the claim jti). Deleting the record revokes the token.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          ttl: Type.Optional(
            Type.Integer({
              description:
                'Time to live of the token in seconds, 60 to 7776000 (90 days); 86400 (a day) if absent. A token with a scope lives for 3600 at most, and if absent.',
              format: 'int64',
            }),
          ),
          scope: Type.Optional(scopeSchema),
          cluster: Type.Optional(
            Type.String({
              description:
                'Name of the Cluster that the token is for; no other cluster accepts it. Without one, every cluster that takes tokens for all of them does.',
              maxLength: MAX_TEXT,
            }),
          ),
        },
        { description: 'What the token is to be like.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          token: Type.Optional(
            Type.String({
              description: 'The token, a bearer token. Only in the response to the request that created it.',
              maxLength: MAX_DOCUMENT,
              'x-sensitive': true,
            }),
          ),
          user: text('Name of the User that the token is of.'),
          team: text('Name of the Team that the token is of.'),
          tokenGeneration: Type.Optional(
            Type.Integer({
              description: 'spec.tokenGeneration of the User when the token was created.',
              format: 'int64',
            }),
          ),
          scoped: Type.Optional(
            Type.Boolean({
              description:
                'Whether a scope restricts the token. A scope of more than 2048 bytes of JSON is not recorded: spec.scope is absent then.',
            }),
          ),
          accessKey: text('Name of the access key that was used to create the token, if there was one.'),
          sourceAddress: text('Address that the token was requested from.'),
          expirationTimestamp: Type.Optional(time({ description: 'When the token expires.' })),
        },
        { description: 'The token, or what is recorded of it.', default: {} },
      ),
    ),
  }),
});

export type DirectClusterEndpointToken = ObjectOf<typeof DirectClusterEndpointToken>;
