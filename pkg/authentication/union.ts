import { NONE, type Authentication, type Authenticator, type Credentials } from './interface.js';

const PLAIN = 'Unauthorized';

/**
 * Asks in turn; the first that knows the user decides. Refused when any refused and none knew, as in Kubernetes: bad
 * credentials never make an anonymous request. Synchronous where all of them are.
 */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  const from = (
    start: number,
    credentials: Credentials,
    worst: Authentication,
  ): ReturnType<Authenticator['authenticate']> => {
    let refused = worst;
    for (let at = start; at < authenticators.length; at += 1) {
      const answer = authenticators[at]!.authenticate(credentials);
      if (answer instanceof Promise) {
        return answer.then((late) =>
          late.outcome === 'user' ? late : from(at + 1, credentials, worse(refused, late)),
        );
      }
      if (answer.outcome === 'user') return answer;
      refused = worse(refused, answer);
    }
    return refused;
  };
  return { authenticate: (credentials) => from(0, credentials, NONE) };
}

/** A refusal that says why counts for more than one that does not. */
function worse(before: Authentication, next: Authentication): Authentication {
  if (before.outcome !== 'refused') return next;
  return before.message === PLAIN && next.outcome === 'refused' ? next : before;
}
