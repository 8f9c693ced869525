import type { X509Certificate } from 'node:crypto';
import type { Scope } from '../../api/management.svc.example/v1/scope.js';
import { UNAUTHENTICATED } from './groups.js';

/** Who makes a request (`k8s.io/apiserver/pkg/authentication/user.Info`). */
export interface User {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** Narrows what is allowed to what the credential is for; absent: it is for everything. */
  readonly scope?: Scope;
  /** What the user was authenticated with; kept by whoever acts as another. Absent: without end, as far as is known. */
  readonly credential?: Credential;
}

/** What bounds the life of credentials that are made with this one. */
export interface Credential {
  /** Name of the access key. */
  readonly accessKey?: string;
  /** When it ends, in ms since 1970; absent: as its access key does, or never. */
  readonly expires?: number;
  /** The access key that a token was made with, and ends with. */
  readonly madeWith?: KeyFingerprint;
}

/** An access key as it was when a token was made with it. */
export interface KeyFingerprint {
  readonly name: string;
  readonly uid: string;
  /** Of the kept hash of the key: a rotated key has another. It tells nothing about the key. */
  readonly fingerprint: string;
}

/** What a request offers to prove who it is. */
export interface Credentials {
  /** The `Authorization` header, as sent. */
  readonly authorization: string | undefined;
  /** What the client showed as it connected; one object for all requests of a connection. */
  readonly certificate: ShownCertificate | undefined;
  /** Names and values in turn, as sent (`rawHeaders` of `node:http`): each character is a byte. */
  readonly rawHeaders: readonly string[];
  /** Whom a token must be for; absent or empty: this API. */
  readonly audiences?: readonly string[];
  /** Whence they come: an address, or the first 64 bits of one of IPv6. Absent where that is not known. */
  readonly source?: string;
  /** Of a request that was let in before and is under way: it is no use of its own. */
  readonly again?: true;
  /** Of a request of the console in a browser: it alone counts then. */
  readonly session?: SessionCredentials;
  /** Of a request that is passed on to a connected cluster: its name, `''` where it is not known. Tokens for it alone count then. */
  readonly cluster?: () => string;
}

/** What a browser sends beside a request of the console. */
export interface SessionCredentials {
  /** Sealed; absent: there is no cookie, or more than one. */
  readonly cookie: string | undefined;
  /** As the header says it. */
  readonly csrf: string | undefined;
  /** Whether the request may change something. */
  readonly writes: boolean;
  /** Whether the browser says that another site made it, or that it is no request of a script. */
  readonly crossSite: boolean;
  /** Whether there are credentials besides. */
  readonly otherCredentials: boolean;
  /** Whether it asks for a WebSocket, which no site is kept from opening. */
  readonly upgrade: boolean;
}

/** A certificate whose private key the client has. Nothing else is known of it: whether to believe it is to be judged. */
export interface ShownCertificate {
  readonly leaf: X509Certificate;
  /** What the client sent with it. */
  readonly intermediates: readonly X509Certificate[];
}

/**
 * `user`: known; `audiences`: those of the asked ones that the token is for, absent where tokens name none;
 * `expires`: when time alone ends it, in ms since 1970. `none`: these credentials are not of this authenticator's kind. `refused`: they are, and wrong.
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

/** Nothing of this authenticator's kind was offered. */
export const NONE: Authentication = { outcome: 'none' };

/** What was offered proves nothing; clients are told no more. */
export const REFUSED: Authentication = { outcome: 'refused', message: 'Unauthorized' };

export interface Authenticator {
  /** Never throws for bad credentials. Synchronous where it can be: the hot path awaits only promises. */
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>;
}

/** What requests without credentials run as, where anonymous access is on. */
export const ANONYMOUS: User = {
  name: 'system:anonymous',
  uid: '',
  groups: [UNAUTHENTICATED],
  extra: {},
};
