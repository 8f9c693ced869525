/** The schema of the file of `--login-config`, for its parser and for the reference of the docs. */
import { closedObject } from '../../apimachinery/schema/configfile.js';
import type { JsonSchema } from '../../apimachinery/schema/jsonschema.js';

export const DEFAULTS = {
  scopes: ['openid', 'profile', 'email'],
  username: 'preferred_username',
  groups: 'groups',
  keyTTL: '24h',
};

/** `apiVersion` and `kind` of a file. */
export const typeOfFile = (kind: string): Record<'apiVersion' | 'kind', JsonSchema> => ({
  apiVersion: {
    type: 'string',
    enum: ['config.management.svc.example/v1'],
    description: 'Version of the format.',
  },
  kind: { type: 'string', enum: [kind], description: 'Kind of the file.' },
});

const text: JsonSchema = { type: 'string', minLength: 1, maxLength: 1024 };

const mapping = (what: string, claim: string, prefix: string): JsonSchema => ({
  ...closedObject({
    claim: { ...text, default: claim, description: `Claim that has ${what}.` },
    prefix: { type: 'string', description: prefix },
  }),
  description: `How claims become ${what}.`,
});

export const LOGIN_CONFIG = closedObject(
  {
    ...typeOfFile('LoginConfiguration'),
    issuer: {
      ...text,
      description: 'URL of the provider, from which the rest is fetched (/.well-known/openid-configuration).',
    },
    clientID: { ...text, description: 'Client ID of this server at the provider.' },
    clientSecretFile: {
      ...text,
      description:
        'File with the client secret alone, relative to this file. Spaces and line ends around it are ignored. Not set: the client is public. PKCE is used in any case.',
    },
    caFile: {
      ...text,
      description:
        'File with the certificate authorities of the provider, PEM, relative to this file. Not set: the authorities that the machine trusts.',
    },
    scopes: {
      type: 'array',
      maxItems: 100,
      items: text,
      default: DEFAULTS.scopes,
      description:
        'Scopes to request from the provider, openid among them. Some providers send groups only for a scope such as groups.',
    },
    claimMappings: {
      ...closedObject({
        username: mapping(
          'the name of a new User',
          DEFAULTS.username,
          'Prefix of the names of new Users, such as oidc-: at most 40 of a-z, 0-9 and -, not starting with -. Required in aggregated mode, where user names are those of the cluster.',
        ),
        groups: mapping(
          'the groups of the person',
          DEFAULTS.groups,
          'Prefix of these groups, such as oidc:. Required in aggregated mode.',
        ),
      }),
      description: 'How the claims of an ID token become a user.',
    },
    requiredClaims: {
      type: 'object',
      additionalProperties: text,
      description: 'Claims that an ID token must have, with their values, such as hd: example.com.',
    },
    linkVerifiedEmail: {
      type: 'boolean',
      default: false,
      description:
        'Whether the first login of a person becomes the one User with exactly its e-mail address, if the provider sends email_verified: true and the User has no subject. Turn it on only for a provider that verifies addresses itself. Never for administrators: invite these.',
    },
    keyTTL: {
      ...text,
      default: DEFAULTS.keyTTL,
      description: 'Lifetime of the access key that a login creates.',
    },
    refreshInterval: {
      ...text,
      description:
        'Interval at which the provider is asked again about each login, such as 10m, at least 1s. Groups and claims follow, and a login ends when the provider refuses it. Needs a refresh token: some providers send one only for the scope offline_access. Not set: claims are those of the last login.',
    },
  },
  ['apiVersion', 'kind', 'issuer', 'clientID'],
);
