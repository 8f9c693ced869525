import type { Authenticator } from '../../../pkg/authentication/interface.js';
import { directTokenAuthenticator } from '../../../pkg/management/directtokens/authentication/authenticator.js';
import { revokedTokens } from '../../../pkg/management/directtokens/authentication/revocations.js';
import type { Parts } from './requestparts.js';

/** The authenticator of the direct tokens that this server signs. */
export function directTokens({
  signingKeys,
  identities,
  accessKeys,
  registry,
}: Pick<Parts, 'signingKeys' | 'identities' | 'accessKeys' | 'registry'>): Authenticator {
  return directTokenAuthenticator({
    keys: signingKeys,
    identities,
    madeWithEnd: (key) => accessKeys.lifetimes.madeWithEnd(key),
    isRevoked: revokedTokens(registry.cache),
  });
}
