import type { AuthorityBundle } from './certificates/bundle.js';
import { certificateJudge } from './certificates/judge.js';
import { subjectOf } from './certificates/subject.js';
import type { Authentication, Authenticator, ShownCertificate } from './interface.js';
import { NONE, REFUSED } from './interface.js';
import { withAuthenticated } from './tokenfile.js';

/**
 * Client certificates as in Kubernetes: the common name is the user, the organizations are its groups. One that
 * `authorities` do not vouch for is refused; while there are none, certificates prove nothing.
 */
export function clientCertificateAuthenticator(
  authorities: () => AuthorityBundle | undefined,
  now: () => number = Date.now,
): Authenticator {
  const judge = certificateJudge(now);
  /** A connection shows one certificate for all its requests: one user for all of them too. */
  const users = new WeakMap<ShownCertificate, Authentication>();
  return {
    authenticate({ certificate }) {
      const bundle = authorities();
      if (certificate === undefined || bundle === undefined) return NONE;
      if (!judge(certificate, bundle)) return REFUSED;
      let answer = users.get(certificate);
      if (answer === undefined) users.set(certificate, (answer = userOf(certificate)));
      return answer;
    },
  };
}

function userOf({ leaf }: ShownCertificate): Authentication {
  const { commonName: name, organizations } = subjectOf(leaf);
  if (name === '') return NONE;
  return {
    outcome: 'user',
    user: {
      ...{ name, uid: '', extra: {} },
      groups: withAuthenticated(organizations),
      credential: { expires: Date.parse(leaf.validTo) },
    },
  };
}
