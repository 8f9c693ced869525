/** Whether a token is one of a workload: signed by the issuer that it names, for this server, and in force. */
import {
  ALGORITHMS,
  checkForm,
  CLOCK_SKEW_SECONDS,
  failureOf,
  keySource,
  refused,
  type JosePackage,
} from './issuerkeys.js';
import type { WorkloadIdentity, WorkloadIssuer } from './interface.js';

/** From when it was issued. */
const MAX_TOKEN_AGE_SECONDS = 86_400;

/** Rejects with LoginFailure: 400 for an invalid token, 502 if the issuer cannot be reached. */
export type VerifyWorkload = (token: string) => Promise<WorkloadIdentity>;

/** `now`: ms since 1970. */
export function workloadVerifier(
  issuers: readonly WorkloadIssuer[],
  now: () => number = Date.now,
): VerifyWorkload {
  const known = new Map(issuers.map((issuer) => [issuer.issuer, { issuer, keys: keySource(issuer, now) }]));
  return async (token) => {
    checkForm(token);
    const jose = await import('jose');
    // The unverified issuer only selects the keys to verify the token with.
    const named = known.get(issuerNamed(jose, token));
    if (named === undefined) throw refused('Tokens of this issuer are not accepted here.');
    const { issuer } = named;
    const getKey = await named.keys(jose);
    try {
      const { payload } = await jose.jwtVerify(token, getKey, {
        issuer: issuer.issuer,
        audience: issuer.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['iat', 'exp', 'sub'],
        currentDate: new Date(now()),
        clockTolerance: CLOCK_SKEW_SECONDS,
        maxTokenAge: MAX_TOKEN_AGE_SECONDS,
      });
      // Another audience of the token could use it here.
      if ([payload.aud].flat().length !== 1)
        throw refused('The token must be for this server alone: its "aud" has more.');
      const { sub } = payload;
      if (typeof sub !== 'string' || sub === '') throw refused('The token has no usable "sub".');
      return { issuer, subject: sub, claims: payload };
    } catch (error) {
      throw failureOf(jose, error);
    }
  };
}

function issuerNamed(jose: JosePackage, token: string): string {
  try {
    const { iss } = jose.decodeJwt(token);
    return typeof iss === 'string' ? iss : '';
  } catch {
    throw refused('The token is not a signed JWT.');
  }
}
