import { clientCertificateAuthenticator } from './clientcertificate.js';
import type { Authentication, Authenticator } from './interface.js';
import { NONE, REFUSED } from './interface.js';
import { requestHeaderAuthenticator } from './requestheader/authenticator.js';
import { keyBoundAuthenticator, type KnownKeys } from './requestheader/keybound.js';
import type { ClientTrust } from './requestheader/settings.js';
import { unionAuthenticator } from './union.js';

export interface DelegatedParts {
  /** The currently trusted authorities. */
  readonly trust: () => ClientTrust;
  /** Token authenticators: those of this service first, then that of the host. */
  readonly tokens: readonly Authenticator[];
  /** The access keys that a front proxy may forward in `extra`; absent while the store is not open. */
  readonly keys?: KnownKeys | undefined;
}

/**
 * Who asks a server that stands behind another one: the front proxy's word, then the client's own certificate, then its
 * token.
 */
export function delegatedAuthenticator({ trust, tokens, keys }: DelegatedParts): Authenticator {
  const headers = requestHeaderAuthenticator(() => trust().proxy);
  return unionAuthenticator([
    keys === undefined ? headers : keyBoundAuthenticator(headers, keys),
    clientCertificateAuthenticator(() => trust().clients),
    firstMatchingAuthenticator(tokens),
  ]);
}

/**
 * Asks in turn; the first to whose kind the credentials belong decides, so that no other is shown them: an access key
 * that has ended is nobody else's affair. Synchronous where all of them are.
 */
export function firstMatchingAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  const from = (
    at: number,
    ...asked: Parameters<Authenticator['authenticate']>
  ): ReturnType<Authenticator['authenticate']> => {
    const next = authenticators[at];
    if (next === undefined) return NONE;
    const answer = next.authenticate(...asked);
    const consider = (one: Authentication): ReturnType<Authenticator['authenticate']> =>
      one.outcome === 'none' ? from(at + 1, ...asked) : one;
    return answer instanceof Promise ? answer.then(consider) : consider(answer);
  };
  return { authenticate: (credentials) => from(0, credentials) };
}

/** Tokens of the host alone: those of this service, which it may vouch for to the host, are refused. */
export function hostTokensOnly(own: readonly Authenticator[], host: Authenticator): Authenticator {
  const known = firstMatchingAuthenticator(own);
  return {
    authenticate(credentials) {
      const answer = known.authenticate(credentials);
      const consider = ({ outcome }: Authentication): ReturnType<Authenticator['authenticate']> =>
        outcome === 'none' ? host.authenticate(credentials) : REFUSED;
      return answer instanceof Promise ? answer.then(consider) : consider(answer);
    },
  };
}
