import { Type } from '../../type.js';
import { freeForm, time } from '../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { scopeSchema } from './scope.js';
import { MAX_CREDENTIAL, names, prose, text } from './fields.js';

const secret = (description: string) =>
  Type.Optional(
    Type.String({ description, maxLength: MAX_CREDENTIAL, writeOnly: true, 'x-sensitive': true }),
  );
const token = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: MAX_CREDENTIAL, 'x-sensitive': true }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const identity = Type.Object(
  {
    userId: text('Subject of the user.'),
    username: text('Username.'),
    preferredUsername: text('Preferred username or display name.'),
    Email: text('E-mail address of the user.'),
    EmailVerified: flag('Whether the e-mail address was verified.'),
    Groups: names('Name of a group.', 'Groups from the identity provider.'),
    ConnectorData: secret('Data that the connector uses for later requests. It is taken and never shown.'),
  },
  { description: 'Single sign-on login data, if available.' },
);

const oidcLogin = Type.Object(
  {
    idToken: token('The ID token.'),
    accessToken: token('The access token.'),
    refreshToken: token('The refresh token.'),
    lastRefresh: Type.Optional(time({ description: 'When the tokens were refreshed last.' })),
  },
  { description: 'Login data. Deprecated: use identity.' },
);

/** A bearer credential of a user, a team or a project. */
export const OwnedAccessKey = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'OwnedAccessKey',
  plural: 'ownedaccesskeys',
  shortNames: ['oak'],
  namespaced: false,
  selectableFields: ['spec.project', 'spec.subject', 'spec.team', 'spec.type', 'spec.user'],
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'OwnedAccessKey is a bearer credential for the API and the command line client. The key itself is shown once, in the answer to the write that set it.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: prose('Description of the key.'),
          user: text('User the key refers to. Without user, team and subject it is who creates the key.'),
          team: text('Team the key refers to.'),
          subject: text('Generic subject, instead of a user or a team.'),
          project: text(
            'Project the key belongs to, instead of a user or a team. Who may manage the members of the project may make, change and delete such keys. They reach nothing outside the project.',
          ),
          clusterRole: text(
            'Of a key of a project: its role there, management-project-admin, management-project-user or management-project-viewer.',
          ),
          endsWithMaker: flag(
            'Of a key of a project: if true, it ends when the User who made it is disabled or deleted. It cannot be changed later.',
          ),
          groups: names('Name of a group.', 'Extra groups that requests made with the key are in.'),
          key: secret(
            'The key, used as the bearer token: at least 32 characters. Without one, a new object gets one that the server makes. It is shown in the answer to the write that set it, and never again.',
          ),
          disabled: flag('If true, the key exists but grants no access.'),
          ttl: Type.Optional(
            Type.Integer({
              description:
                'Time to live in seconds; 0 or absent: without end. A key of a project ends after spec.maxKeyDays of the project at the latest.',
              format: 'int64',
            }),
          ),
          ttlAfterLastActivity: flag(
            'If true, the time to live starts at the last activity instead of the creation.',
          ),
          scope: Type.Optional(scopeSchema),
          type: text(
            'What the key is for: User (the default), Login, Other, Reset, OIDCRefreshToken or NetworkPeer. The last three give no access to the API.',
          ),
          identity: Type.Optional(identity),
          identityRefresh: Type.Optional(time({ description: 'When the identity was refreshed last.' })),
          oidcProvider: Type.Optional(
            freeForm({
              description: 'Present if the key is a refresh token.',
              'x-max-bytes': MAX_CREDENTIAL,
            }),
          ),
          parent: text('Deprecated. Lets keys share OIDC and external token information.'),
          oidcLogin: Type.Optional(oidcLogin),
        },
        { description: 'Desired state of the key.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          lastActivity: Type.Optional(time({ description: 'When the key was used to access the API last.' })),
        },
        { description: 'Observed state of the key.', default: {} },
      ),
    ),
  }),
});

export type OwnedAccessKey = ObjectOf<typeof OwnedAccessKey>;
