import { certificateVerifyCache } from '../certificates/verifycache.js';
import { subjectOf } from '../certificates/subject.js';
import { NONE, REFUSED, type Authenticator, type User } from '../interface.js';
import { userOfHeaders } from './headers.js';
import type { RequestHeaderSettings } from './settings.js';

/**
 * Authenticates users by the headers of a front proxy, which needs a certificate of its authority with an allowed
 * name. Headers of other clients are ignored. Synchronous.
 */
export function requestHeaderAuthenticator(
  settings: () => RequestHeaderSettings | undefined,
  now: () => number = Date.now,
): Authenticator {
  const verifyCertificate = certificateVerifyCache(now);
  return {
    authenticate({ certificate, rawHeaders }) {
      const current = settings();
      if (certificate === undefined || current === undefined) return NONE;
      const { vouched, until } = verifyCertificate(certificate, current.authorities);
      if (!vouched) return REFUSED;
      const { allowedNames } = current;
      if (allowedNames.length > 0 && !allowedNames.includes(subjectOf(certificate.leaf).commonName))
        return REFUSED;
      const user = readUser(rawHeaders, current);
      if (user === 'unreadable') return REFUSED;
      return user === undefined
        ? NONE
        : { outcome: 'user', user: { ...user, byFrontProxy: true }, expires: until };
    },
  };
}

function readUser(
  rawHeaders: readonly string[],
  settings: RequestHeaderSettings,
): User | undefined | 'unreadable' {
  try {
    return userOfHeaders(rawHeaders, settings);
  } catch {
    return 'unreadable';
  }
}
