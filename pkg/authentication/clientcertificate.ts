import type { Authentication, Authenticator, Credentials } from './interface.js';
import { withAuthenticated } from './tokenfile.js';

type Certificate = NonNullable<Credentials['clientCertificate']>;

const NONE: Authentication = { outcome: 'none' };
const REFUSED: Authentication = { outcome: 'refused', message: 'Unauthorized' };

/** Client certificates as in Kubernetes: the common name is the user, the organizations are its groups. */
export function clientCertificateAuthenticator(): Authenticator {
  /** A connection shows one certificate for all its requests: one user for all of them too. */
  const known = new WeakMap<Certificate, Authentication>();
  return {
    authenticate({ clientCertificate, badCertificate }) {
      if (badCertificate === true) return REFUSED;
      if (clientCertificate === undefined || clientCertificate.commonName === '') return NONE;
      let answer = known.get(clientCertificate);
      if (answer === undefined) known.set(clientCertificate, (answer = userOf(clientCertificate)));
      return answer;
    },
  };
}

function userOf({ commonName: name, organizations }: Certificate): Authentication {
  return {
    outcome: 'user',
    user: { name, uid: '', groups: withAuthenticated(organizations), extra: {} },
  };
}
