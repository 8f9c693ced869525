import { isMeantAsKey } from '../management/accesskeys/accesskey.js';
import { bearerToken } from './bearer.js';
import { CLAIM } from '../management/directtokens/authentication/token.js';
import { NONE, type Authenticator } from './interface.js';
import { hasClaim } from './issuedtoken/claim.js';

/**
 * Before this server can verify its own tokens: clients may retry, and no other authenticator receives the tokens.
 * Throws the error of `away` for access keys and direct tokens, by their form, valid or not.
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
