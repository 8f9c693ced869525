/** The user of a request. */

/** `k8s.io/apiserver/pkg/authentication/user.Info`, with what this server knows of the credential. */
export interface User {
  readonly name: string;
  /** `''`: none is known. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** Restricts the user's rights, by what an authorizer understands; absent: no restriction. */
  readonly scope?: object;
  /** The credential of the request, also under impersonation. Absent: no known expiry. */
  readonly credential?: Credential;
  /** Whether an authenticated front proxy named the user, whose forwarded addresses then count; also under impersonation. */
  readonly byFrontProxy?: true;
}

/** Limits of the lifetime of credentials that this one creates. */
export interface Credential {
  /** Name of the access key. */
  readonly accessKey?: string;
  /** Expiry in ms since 1970; absent: that of its access key, or never. */
  readonly expires?: number;
  /** The access key that created a token, and with which the token ends. */
  readonly madeWith?: KeyFingerprint;
}

/** An access key at the time when it created a token. */
export interface KeyFingerprint {
  readonly name: string;
  readonly uid: string;
  /**
   * The fingerprint of the key's stored hash, which changes when the key is rotated. It reveals nothing about the
   * key.
   */
  readonly fingerprint: string;
}
