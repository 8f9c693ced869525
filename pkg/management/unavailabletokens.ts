import { isMeantAsKey } from './accesskeys/accesskey.js';
import { bearerToken } from '../authentication/bearer.js';
import { CLAIM } from './directtokens/authentication/token.js';
import { NONE, type Authenticator } from '../authentication/interface.js';
import { hasClaim } from '../authentication/issuedtoken/claim.js';

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
