import { namePrefix } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { claimValues, duration, httpsUrl, names, prefix, text } from './values.js';

/** Options of logging in with an identity provider, with the names of kube-apiserver where it has them. */
export const LOGIN_FLAGS = {
  externalUrl: define({
    name: 'external-url',
    value: '<url>',
    description:
      'URL at which browsers reach this server. The provider must allow <url>/auth/callback as a redirect URI. (default: the URL of this server)',
    parse: httpsUrl,
  }),
  oidcIssuerUrl: define({
    name: 'oidc-issuer-url',
    value: '<url>',
    description: 'URL of the OpenID Connect provider that people log in with. Requires --oidc-client-id.',
    parse: httpsUrl,
  }),
  oidcClientId: define({
    name: 'oidc-client-id',
    value: '<id>',
    description: 'Client ID of this server at the provider.',
    parse: text,
  }),
  oidcClientSecretFile: define({
    name: 'oidc-client-secret-file',
    value: '<file>',
    description:
      'File with the client secret of --oidc-client-id. If not set, the client is public. PKCE is used in any case.',
    parse: text,
  }),
  oidcCaFile: define({
    name: 'oidc-ca-file',
    value: '<file>',
    description:
      'File with the certificate authorities of the provider, PEM. If not set, the authorities that the host trusts.',
    parse: text,
  }),
  oidcScopes: defaulted({
    name: 'oidc-scopes',
    value: '<names>',
    description:
      'Comma-separated scopes to request from the provider. Some send groups only for a scope such as groups.',
    fallback: 'openid,profile,email',
    parse: names,
  }),
  oidcUsernameClaim: defaulted({
    name: 'oidc-username-claim',
    value: '<claim>',
    description: 'Claim that becomes the name of a new User.',
    fallback: 'preferred_username',
    parse: text,
  }),
  oidcUsernamePrefix: define({
    name: 'oidc-username-prefix',
    value: '<prefix>',
    description:
      'Prefix of the names of new Users, such as oidc-: at most 40 of a-z, 0-9 and -, not starting with -. Required in aggregated mode, where user names are those of the cluster.',
    parse: namePrefix,
  }),
  oidcGroupsClaim: defaulted({
    name: 'oidc-groups-claim',
    value: '<claim>',
    description: 'Claim with the groups of the user.',
    fallback: 'groups',
    parse: text,
  }),
  oidcGroupsPrefix: define({
    name: 'oidc-groups-prefix',
    value: '<prefix>',
    description: 'Prefix of the groups from --oidc-groups-claim, such as oidc:. Required in aggregated mode.',
    parse: prefix,
  }),
  oidcRequiredClaim: define({
    name: 'oidc-required-claim',
    value: '<claim=value>',
    description:
      'Comma-separated claims that an ID token must have, with their values, such as hd=example.com.',
    parse: claimValues,
  }),
  oidcKeyTtl: defaulted({
    name: 'oidc-key-ttl',
    value: '<duration>',
    description: 'Lifetime of the access key that a login creates.',
    fallback: '24h0m0s',
    parse: duration,
  }),
  workloadIdentityConfig: define({
    name: 'workload-identity-config',
    value: '<file>',
    description:
      'File with the issuers and rules by which tokens of pipelines and Pods are exchanged for short-lived access keys (docs/tokens-and-login.md). Read at the start.',
    parse: text,
  }),
} as const;
