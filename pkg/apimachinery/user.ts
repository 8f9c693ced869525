/** Who makes a request. */
import type { Scope } from '../../api/management.svc.example/v1/scope.js';

/** `k8s.io/apiserver/pkg/authentication/user.Info`, with what this server knows of the credential. */
export interface User {
  readonly name: string;
  /** `''`: none is known. */
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
