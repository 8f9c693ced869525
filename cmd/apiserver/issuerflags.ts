import { defaulted, define } from './flag.js';
import { duration, httpsUrl, text } from './flagvalues.js';

/** Options of the tokens that the server signs. */
export const ISSUER_FLAGS = {
  serviceAccountIssuer: define({
    name: 'service-account-issuer',
    value: '<url>',
    description:
      'Who issues tokens: the URL at which others fetch the keys to verify them. (default: the URL of this server)',
    parse: httpsUrl,
  }),
  directEndpointAudience: defaulted({
    name: 'direct-endpoint-audience',
    value: '<name>',
    description: 'Whom tokens for direct access to connected clusters are for.',
    fallback: 'management-direct-endpoint',
    parse: text,
  }),
  signingKeyRotation: defaulted({
    name: 'signing-key-rotation',
    value: '<duration>',
    description:
      'How long a key signs tokens before a new one does; old ones are published until their last token has ended.',
    fallback: '2160h0m0s',
    parse: duration,
  }),
} as const;
