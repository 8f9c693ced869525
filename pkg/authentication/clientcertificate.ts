import type { Authenticator } from './interface.js';
import { withAuthenticated } from './tokenfile.js';

/** Client certificates as in Kubernetes: the common name is the user, the organizations are its groups. */
export function clientCertificateAuthenticator(): Authenticator {
  return {
    authenticate({ clientCertificate, badCertificate }) {
      if (badCertificate === true) return { outcome: 'refused', message: 'Unauthorized' };
      if (clientCertificate === undefined || clientCertificate.commonName === '') return { outcome: 'none' };
      const { commonName: name, organizations } = clientCertificate;
      return {
        outcome: 'user',
        user: { name, uid: '', groups: withAuthenticated(organizations), extra: {} },
      };
    },
  };
}
