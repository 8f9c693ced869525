/** The content of service account tokens, as Kubernetes makes them. */
import type { ObjectKey } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';

/** The default audience if no issuer is configured. */
export const DEFAULT_AUDIENCE = 'https://kubernetes.default.svc';
/** The claim that names the objects that a token depends on. */
export const CLAIM = 'kubernetes.io';

export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

export interface ServiceAccountToken {
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  /** The Secret that the token is bound to. */
  readonly secret?: BoundObject | undefined;
  /** The name of the Secret of type `kubernetes.io/service-account-token` that holds the token: it ends when that has another one. */
  readonly heldBy?: string | undefined;
}

/** The user name of a service account. */
export const accountName = ({ namespace, name }: ObjectKey): string =>
  `system:serviceaccount:${namespace}:${name}`;

/** Of a user name as {@link accountName} makes it; undefined: it is none. */
export function accountIn(user: string): ObjectKey | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** The groups of every service account of a namespace. */
export const accountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** {@link CLAIM} of a token. */
export function claimOf({ namespace, serviceAccount, secret, heldBy }: ServiceAccountToken): object {
  const bound = heldBy === undefined ? secret : { name: heldBy };
  return { namespace, serviceaccount: serviceAccount, ...(bound !== undefined && { secret: bound }) };
}

/** The private claim of a verified token; undefined when it is not one of a service account. */
export function readClaim(claim: unknown): ServiceAccountToken | undefined {
  const { namespace, serviceaccount, secret } = membersOf(claim);
  const account = readObject(serviceaccount);
  if (typeof namespace !== 'string' || account === undefined) return undefined;
  if (secret === undefined) return { namespace, serviceAccount: account };
  const bound = readObject(secret);
  if (bound !== undefined) return { namespace, serviceAccount: account, secret: bound };
  const { name } = membersOf(secret);
  return typeof name === 'string' ? { namespace, serviceAccount: account, heldBy: name } : undefined;
}

function readObject(value: unknown): BoundObject | undefined {
  const { name, uid } = membersOf(value);
  return typeof name === 'string' && typeof uid === 'string' ? { name, uid } : undefined;
}
