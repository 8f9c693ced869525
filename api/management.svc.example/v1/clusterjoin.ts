import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { MAX_DOCUMENT, MAX_TEXT } from './fields.js';

/** A token by which an agent joins: asked for at `clusters/{name}/join`, never stored. */
export const ClusterJoin = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ClusterJoin',
  plural: 'clusterjoins',
  namespaced: false,
  verbs: ['create'],
  description:
    'ClusterJoin is a token that the agent of a cluster exchanges, once and within 15 minutes, for an access key of the user agent-<cluster>. Its maker must be allowed to impersonate that user, both now and then.',
  schema: Type.Object({
    status: Type.Optional(
      Type.Object(
        {
          token: Type.Optional(
            Type.String({ description: 'The token.', maxLength: MAX_DOCUMENT, 'x-sensitive': true }),
          ),
          expirationTimestamp: Type.Optional(
            Type.String({ description: 'When it ends, in RFC 3339.', maxLength: MAX_TEXT }),
          ),
        },
        { description: 'The answer.', default: {} },
      ),
    ),
  }),
});

export type ClusterJoin = ObjectOf<typeof ClusterJoin>;
