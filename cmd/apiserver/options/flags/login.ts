import { httpsUrl } from '../../../../pkg/apimachinery/flagvalues.js';
import { define } from './flag.js';
import { text } from './values.js';

/** Options of logging in with an identity provider. */
export const LOGIN_FLAGS = {
  externalUrl: define({
    name: 'external-url',
    value: '<url>',
    description:
      'URL at which browsers reach this server. The provider must allow <url>/auth/callback as a redirect URI. (default: the URL of this server)',
    parse: httpsUrl,
  }),
  loginConfig: define({
    name: 'login-config',
    value: '<file>',
    description:
      'File with the OpenID Connect provider that people log in with: a LoginConfiguration (docs/tokens-and-login.md). Read at the start.',
    parse: text,
  }),
  workloadIdentityConfig: define({
    name: 'workload-identity-config',
    value: '<file>',
    description:
      'File with the issuers and rules by which tokens of pipelines and Pods are exchanged for short-lived access keys (docs/tokens-and-login.md). Read at the start.',
    parse: text,
  }),
} as const;
