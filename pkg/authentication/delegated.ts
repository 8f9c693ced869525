import { clientCertificateAuthenticator } from './clientcertificate.js';
import { NONE, REFUSED, type Authenticator } from './interface.js';
import { requestHeaderAuthenticator } from './requestheader/authenticator.js';
import { keyBoundAuthenticator, type KnownKeys } from './requestheader/keybound.js';
import type { ClientTrust } from './requestheader/settings.js';
import { unionAuthenticator } from './union.js';
import { onceKnown } from '../apimachinery/eventloop/onceknown.js';

export interface DelegatedParts {
  /** The currently trusted authorities. */
  readonly trust: () => ClientTrust;
  /** Token authenticators: our own first, then the host's. */
  readonly tokens: readonly Authenticator[];
  /** The access keys that a front proxy may forward in `extra`; absent while the store is not open. */
  readonly keys?: KnownKeys | undefined;
}

/**
 * Authenticates requests of an aggregated server: by the headers of the front proxy, then the client's own
 * certificate, then its token.
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
 * Uses the first authenticator that recognizes the kind of credential, so that no other receives it, not even if it
 * has expired. Synchronous if all authenticators are.
 */
export function firstMatchingAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  const from = (
    at: number,
    ...asked: Parameters<Authenticator['authenticate']>
  ): ReturnType<Authenticator['authenticate']> => {
    const next = authenticators[at];
    if (next === undefined) return NONE;
    return onceKnown(next.authenticate(...asked), (one) =>
      one.outcome === 'none' ? from(at + 1, ...asked) : one,
    );
  };
  return { authenticate: (credentials) => from(0, credentials) };
}

/** Authenticates tokens of the host alone. Refuses our own tokens, which the host may accept through this server. */
export function hostTokensOnly(own: readonly Authenticator[], host: Authenticator): Authenticator {
  const known = firstMatchingAuthenticator(own);
  return {
    authenticate: (credentials) =>
      onceKnown(known.authenticate(credentials), ({ outcome }) =>
        outcome === 'none' ? host.authenticate(credentials) : REFUSED,
      ),
  };
}
