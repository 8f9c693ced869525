import { isMeantAsKey } from '../apimachinery/accesskey.js';
import { bearerToken } from './bearer.js';
import { CLAIM } from './directtoken/token.js';
import type { Authenticator } from './interface.js';
import { NONE } from './interface.js';
import { hasClaim } from './issuedtoken/claim.js';

/**
 * For the time before this service knows its own tokens: their holders may try again, and nobody else is shown them.
 * Throws what `away` gives for access keys and direct tokens, by their form, good or bad.
 */
export function unavailableTokenAuthenticator(away: () => Error): Authenticator {
  return {
    authenticate({ authorization }) {
      const token = bearerToken(authorization);
      if (token !== undefined && (isMeantAsKey(token) || hasClaim(token, CLAIM))) throw away();
      return NONE;
    },
  };
}
