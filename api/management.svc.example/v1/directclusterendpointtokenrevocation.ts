import { Type } from '../../type.js';
import { time } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { text } from './fields.js';

/** That a token for connected clusters was revoked before it expired. */
export const DirectClusterEndpointTokenRevocation = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'DirectClusterEndpointTokenRevocation',
  plural: 'directclusterendpointtokenrevocations',
  namespaced: false,
  verbs: ['get', 'list', 'watch'],
  selectableFields: ['spec.cluster', 'spec.team', 'spec.user'],
  description:
    'DirectClusterEndpointTokenRevocation says that a DirectClusterEndpointToken was revoked. Its name is the ID of the token (the claim jti). The server creates it when the record of the token is deleted, and removes it when the token has expired. Agents of connected clusters watch it.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          cluster: text('Name of the Cluster that the token was for; absent: for any.'),
          user: text('Name of the User that the token was of.'),
          team: text('Name of the Team that the token was of.'),
          tokenGeneration: Type.Optional(
            Type.Integer({
              description: 'spec.tokenGeneration of the User when the token was created.',
              format: 'int64',
            }),
          ),
          expirationTimestamp: Type.Optional(time({ description: 'When the token expires.' })),
        },
        { description: 'The token that was revoked.', default: {} },
      ),
    ),
  }),
});

export type DirectClusterEndpointTokenRevocation = ObjectOf<typeof DirectClusterEndpointTokenRevocation>;
