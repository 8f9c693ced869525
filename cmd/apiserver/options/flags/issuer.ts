import { duration, httpsUrl } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';

/** Options of the tokens that the server signs. */
export const ISSUER_FLAGS = {
  serviceAccountIssuer: define({
    name: 'service-account-issuer',
    value: '<url>',
    description:
      'Issuer of the tokens that this server signs: an https URL at which others reach /.well-known/openid-configuration. If set, it is also the audience of tokens that request none. Servers that share their state need the same value. (default: the URL of this server)',
    parse: httpsUrl,
  }),
  signingKeyRotation: defaulted({
    name: 'signing-key-rotation',
    value: '<duration>',
    description:
      'How long a key signs tokens before the next key takes over. The next key is published ten minutes before it signs. An old key is published until the last token that it signed expires.',
    fallback: '2160h0m0s',
    parse: duration,
  }),
} as const;
