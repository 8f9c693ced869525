import { Type } from '../../type.js';
import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';
import { scopeSchema } from './scope.js';

/** A credential for connected clusters. */
export const DirectClusterEndpointToken = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'DirectClusterEndpointToken',
  plural: 'directclusterendpointtokens',
  namespaced: false,
  verbs: ['create'],
  description:
    'DirectClusterEndpointToken requests a token for the caller that connected clusters verify by themselves, so that requests to them need not go through this server. It is answered and not kept.',
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
            Type.String({ description: 'The token, a bearer token.', 'x-sensitive': true }),
          ),
        },
        { description: 'The answer.', default: {} },
      ),
    ),
  }),
});

export type DirectClusterEndpointToken = ObjectOf<typeof DirectClusterEndpointToken>;
