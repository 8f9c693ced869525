/** Workload identity: a token of a pipeline or a Pod, which its platform signs, is exchanged for a short access key. */
import type { JSONWebKeySet } from 'jose';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';

/** Who signs tokens of workloads, and what they come to here. */
export interface WorkloadIssuer {
  /** The claim `iss`, to the letter; where discovery is asked. */
  readonly issuer: string;
  /** The one audience that tokens must have. */
  readonly audience: string;
  /** PEM, instead of the authorities that the machine trusts. */
  readonly authorities: string | undefined;
  /** The keys, where they are not asked for. */
  readonly keys: JSONWebKeySet | undefined;
  /** The first that fits decides. */
  readonly rules: readonly WorkloadRule[];
}

export interface WorkloadRule {
  readonly name: string;
  /** Claims with the value that each must have; one that ends with `/*` stands for all that go on from its slash. */
  readonly claims: Readonly<Record<string, string>>;
  /** The User whose key it is. */
  readonly user: string;
  /** Of the key; absent: all that the user may do. */
  readonly scope: Scope | undefined;
  /** How long the key lives. */
  readonly ttlSeconds: number;
}

/** A token whose signature, issuer, audience and times are right. */
export interface WorkloadIdentity {
  readonly issuer: WorkloadIssuer;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}
