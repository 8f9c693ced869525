/** Workload identity: a token of a pipeline or a Pod, which its platform signs, is exchanged for a short access key. */
import type { JSONWebKeySet } from 'jose';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';

/** An issuer of workload tokens, and its rules. */
export interface WorkloadIssuer {
  /** The exact claim `iss`, and the base of discovery. */
  readonly issuer: string;
  /** The one audience that tokens must have. */
  readonly audience: string;
  /** PEM, instead of the authorities that the machine trusts. */
  readonly authorities: string | undefined;
  /** The keys, if they are not discovered. */
  readonly keys: JSONWebKeySet | undefined;
  /** The first that fits decides. */
  readonly rules: readonly WorkloadRule[];
}

export interface WorkloadRule {
  readonly name: string;
  /** Claims with their required values; a value that ends with `/*` matches any suffix after the slash. */
  readonly claims: Readonly<Record<string, string>>;
  /** The User whose key it is. */
  readonly user: string;
  /** Of the key; absent: all that the user may do. */
  readonly scope: Scope | undefined;
  /** The lifetime of the key. */
  readonly ttlSeconds: number;
}

/** A token whose signature, issuer, audience and times are right. */
export interface WorkloadIdentity {
  readonly issuer: WorkloadIssuer;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}
