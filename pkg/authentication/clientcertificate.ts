import type { AuthorityBundle } from './certificates/bundle.js';
import { certificateVerifyCache } from './certificates/verifycache.js';
import { subjectOf } from './certificates/subject.js';
import type { Verdict } from './certificates/verify.js';
import {
  NONE,
  REFUSED,
  type Authentication,
  type Authenticator,
  type ShownCertificate,
} from './interface.js';
import { withAuthenticated } from './tokenfile.js';

/**
 * Client certificates as in Kubernetes: the common name is the user, the organizations are its groups. Refuses
 * certificates that `authorities` do not verify; without authorities, ignores all.
 */
export function clientCertificateAuthenticator(
  authorities: () => AuthorityBundle | undefined,
  now: () => number = Date.now,
): Authenticator {
  const verifyCertificate = certificateVerifyCache(now);
  /** A connection shows one certificate for all its requests: one user for all of them too, while the verdict stands. */
  const users = new WeakMap<Verdict, Authentication>();
  return {
    authenticate({ certificate }) {
      const bundle = authorities();
      if (certificate === undefined || bundle === undefined) return NONE;
      const verdict = verifyCertificate(certificate, bundle);
      if (!verdict.vouched) return REFUSED;
      let answer = users.get(verdict);
      if (answer === undefined) users.set(verdict, (answer = userOf(certificate, verdict.until)));
      return answer;
    },
  };
}

function userOf({ leaf }: ShownCertificate, expires: number): Authentication {
  const { commonName: name, organizations } = subjectOf(leaf);
  if (name === '') return NONE;
  return {
    outcome: 'user',
    user: {
      name,
      uid: '',
      extra: {},
      groups: withAuthenticated(organizations),
      credential: { expires: Date.parse(leaf.validTo) },
    },
    expires,
  };
}
