import type { X509Certificate } from 'node:crypto';
import type { User } from '../apimachinery/user.js';
import { UNAUTHENTICATED } from './groups.js';

export type { Credential, KeyFingerprint, User } from '../apimachinery/user.js';

/** The credentials of a request. */
export interface Credentials {
  /** The `Authorization` header, as sent. */
  readonly authorization: string | undefined;
  /** The client certificate of the connection; one object for all its requests. */
  readonly certificate: ShownCertificate | undefined;
  /** Alternating names and values, as sent (`rawHeaders` of `node:http`): each character is a byte. */
  readonly rawHeaders: readonly string[];
  /** The accepted audiences of a token; absent or empty: this API. */
  readonly audiences?: readonly string[];
  /** The client network: an IPv4 address, or the first 64 bits of an IPv6 address. Absent if unknown. */
  readonly source?: string;
  /** Whether a request in flight is authenticated again. It then does not count as a use of the credential. */
  readonly again?: true;
  /** The session of a console request. If set, all other credentials are ignored. */
  readonly session?: SessionCredentials;
  /**
   * The name of the connected cluster that the request is proxied to, `''` if unknown. If set, only tokens for that
   * cluster are accepted.
   */
  readonly cluster?: () => string;
}

/** The session credentials of a console request. */
export interface SessionCredentials {
  /** The sealed cookie; absent if the request has none, or more than one. */
  readonly cookie: string | undefined;
  /** The value of the CSRF header. */
  readonly csrf: string | undefined;
  /** Whether the request is a write. */
  readonly writes: boolean;
  /** Whether the browser marks the request as cross-site, or as not made by a script. */
  readonly crossSite: boolean;
  /** Whether the request has other credentials as well. */
  readonly otherCredentials: boolean;
  /** Whether the request upgrades to a WebSocket, which any site may open. */
  readonly upgrade: boolean;
}

/**
 * A client certificate. TLS has proved that the client has its private key; it is not verified against any authority
 * yet.
 */
export interface ShownCertificate {
  readonly leaf: X509Certificate;
  /** The intermediate certificates that the client sent. */
  readonly intermediates: readonly X509Certificate[];
}

/**
 * `user`: authenticated. `audiences`: the requested audiences that the token is for, absent if it has none; `expires`:
 * expiry of the credential, in ms since 1970. `none`: the request has no credentials of this authenticator's kind.
 * `refused`: it has, and they are invalid.
 */
export type Authentication =
  | {
      readonly outcome: 'user';
      readonly user: User;
      readonly audiences?: readonly string[];
      readonly expires?: number;
    }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'refused'; readonly message: string };

/** The request has no credentials of this authenticator's kind. */
export const NONE: Authentication = { outcome: 'none' };

/** Invalid credentials. Clients get no further details. */
export const REFUSED: Authentication = { outcome: 'refused', message: 'Unauthorized' };

/** The user of a request, and the credentials it was authenticated with. */
export interface AuthenticatedCaller {
  readonly user: User;
  readonly credentials: Credentials;
  /** When the credentials expire, in ms since 1970; Infinity: never. */
  readonly expires: number;
}

export interface Authenticator {
  /** Never throws for invalid credentials. Synchronous if possible: the hot path awaits only promises. */
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>;
}

/** The user of requests without credentials, with `--anonymous-auth`. */
export const ANONYMOUS: User = {
  name: 'system:anonymous',
  uid: '',
  groups: [UNAUTHENTICATED],
  extra: {},
};
