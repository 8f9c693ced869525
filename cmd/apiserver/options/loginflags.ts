import { namePrefix } from '../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { claimValues, duration, httpsUrl, names, prefix, text } from './flagvalues.js';

/** Options of logging in with an identity provider; those that kube-apiserver has are named as there. */
export const LOGIN_FLAGS = {
  externalUrl: define({
    name: 'external-url',
    value: '<url>',
    description: 'Where people and their browsers reach this server. (default: the URL of this server)',
    parse: httpsUrl,
  }),
  oidcIssuerUrl: define({
    name: 'oidc-issuer-url',
    value: '<url>',
    description: 'Let people log in with this OpenID Connect provider; needs --oidc-client-id.',
    parse: httpsUrl,
  }),
  oidcClientId: define({
    name: 'oidc-client-id',
    value: '<id>',
    description: 'What the provider knows this server as.',
    parse: text,
  }),
  oidcClientSecretFile: define({
    name: 'oidc-client-secret-file',
    value: '<file>',
    description: 'Where the secret of --oidc-client-id is; without one, the client is public.',
    parse: text,
  }),
  oidcCaFile: define({
    name: 'oidc-ca-file',
    value: '<file>',
    description: "Authorities of the provider's certificate, PEM, instead of those that the machine trusts.",
    parse: text,
  }),
  oidcScopes: defaulted({
    name: 'oidc-scopes',
    value: '<names>',
    description: 'What the provider is asked to tell of people, separated by commas.',
    fallback: 'openid,profile,email',
    parse: names,
  }),
  oidcUsernameClaim: defaulted({
    name: 'oidc-username-claim',
    value: '<claim>',
    description: 'The claim that a new User is named by.',
    fallback: 'preferred_username',
    parse: text,
  }),
  oidcUsernamePrefix: define({
    name: 'oidc-username-prefix',
    value: '<prefix>',
    description:
      'Goes before the names of new Users, such as oidc-; needed in aggregated mode, where names are those of the cluster.',
    parse: namePrefix,
  }),
  oidcGroupsClaim: defaulted({
    name: 'oidc-groups-claim',
    value: '<claim>',
    description: "The claim that has the person's groups.",
    fallback: 'groups',
    parse: text,
  }),
  oidcGroupsPrefix: define({
    name: 'oidc-groups-prefix',
    value: '<prefix>',
    description: 'Goes before the groups of the provider, such as oidc:.',
    parse: prefix,
  }),
  oidcRequiredClaim: define({
    name: 'oidc-required-claim',
    value: '<claim=value>',
    description: 'Only people with these claims may log in; separated by commas.',
    parse: claimValues,
  }),
  oidcKeyTtl: defaulted({
    name: 'oidc-key-ttl',
    value: '<duration>',
    description: 'How long the access key lives that a login ends with.',
    fallback: '24h0m0s',
    parse: duration,
  }),
  workloadIdentityConfig: define({
    name: 'workload-identity-config',
    value: '<file>',
    description:
      'Whose tokens of pipelines and Pods are exchanged for short access keys, and for those of which users (docs/tokens-and-login.md).',
    parse: text,
  }),
} as const;
