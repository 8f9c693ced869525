import { Type } from '../../type.js';
import { time } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { MAX_CREDENTIAL, names, text } from './fields.js';

/** A link by which a person becomes a User: POST returns it, and what is stored is a record of it. */
export const Invitation = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'Invitation',
  plural: 'invitations',
  namespaced: false,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'],
  description:
    'Invitation requests a link by which a person becomes the User of the same name, once: the link connects the login with the identity provider to the User, or creates a first access key. Creating one requires the right to impersonate the User, and the link works only while its creator has that right. The server keeps a record without the link until it is used or expires. Deleting the record revokes the link.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          ttl: Type.Optional(
            Type.Integer({
              description:
                'Time to live of the link in seconds, 300 to 604800 (7 days); 172800 (2 days) if absent.',
              format: 'int64',
            }),
          ),
          accessKeyTTL: Type.Optional(
            Type.Integer({
              description:
                'If set, the person may choose a first access key, which lives for this time in seconds, 300 to 31536000 (365 days). If it is absent and the server has no identity provider, 2592000 (30 days). Requires the right to create ownedaccesskeys/unlimited.',
              format: 'int64',
            }),
          ),
        },
        { description: 'What the link is to be like.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          link: Type.Optional(
            Type.String({
              description:
                'The link: a URL, or a path at the address of the server if the server does not know its external URL. Only in the response to the request that created it.',
              maxLength: MAX_CREDENTIAL,
              'x-sensitive': true,
            }),
          ),
          expirationTimestamp: Type.Optional(time({ description: 'When the link expires.' })),
          invitedBy: Type.Optional(
            Type.Object(
              {
                user: text('User name of the creator.'),
                uid: text('uid of the User of the creator; absent if there is none.'),
                groups: names('Name of a group.', 'Groups that only the credential of the creator had.'),
                accessKey: text('Name of the access key that was used, if it outlasts logins.'),
                time: Type.Optional(time({ description: 'When the invitation was created.' })),
              },
              { description: 'The creator, whose right the link depends on.' },
            ),
          ),
        },
        { description: 'The link, or what is recorded of it.', default: {} },
      ),
    ),
  }),
});

export type Invitation = ObjectOf<typeof Invitation>;
