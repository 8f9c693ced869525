/** Settings and results of a login with an identity provider (OpenID Connect). */

import type { JudgedClaim } from '../grouprules/claims.js';

export interface LoginSettings {
  /** `https://accounts.example.com`, the base of discovery. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret: string | undefined;
  /** PEM, instead of the authorities that the machine trusts. */
  readonly authorities: string | undefined;
  readonly scopes: readonly string[];
  readonly usernameClaim: string;
  /** Goes before the names of new Users: empty, or as names of objects begin. */
  readonly usernamePrefix: string;
  readonly groupsClaim: string;
  /** Goes before the groups of the provider. */
  readonly groupsPrefix: string;
  /** Claims that must be there with this value. */
  readonly requiredClaims: Readonly<Record<string, string>>;
  /** Whether a verified e-mail address connects a login to the User with it. */
  readonly linkVerifiedEmail: boolean;
  /** The lifetime of the Login key. */
  readonly keyTtlSeconds: number;
  /** Interval at which the provider confirms logins; undefined: it is not asked again. */
  readonly refreshMs: number | undefined;
}

/** The provider's claims about a person. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** A person authenticated by the provider. */
export interface LoginIdentity extends ClaimedIdentity {
  /** When the provider was asked who it is, in ms since 1970. */
  readonly at: number;
  /** The provider's refresh token, sealed. Absent: it gave none, or is not asked again. */
  readonly refresh?: string;
}

/** What the claims say of a person. */
export interface ClaimedIdentity {
  /** The name of the User. */
  readonly name: string;
  /** The provider's name of the person, which never changes. */
  readonly subject: string;
  /** The session at the provider (`sid`); empty: it tells none. */
  readonly session: string;
  readonly username: string;
  readonly displayName: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** As the provider calls them. */
  readonly providerGroups: readonly string[];
  /** Other claims that group rules look at. */
  readonly claims: readonly JudgedClaim[];
  /** What was left out of the claims, and why. */
  readonly notes: readonly string[];
}

/** Why a login did not come about. The message is for the person, and holds nothing secret. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure';
  constructor(
    /** The HTTP status. */
    readonly code: 400 | 403 | 404 | 502,
    message: string,
    /** As OAuth names it (RFC 6749, section 5.2; RFC 8628, section 3.5). */
    readonly error: string = code === 403 ? 'access_denied' : 'invalid_request',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
