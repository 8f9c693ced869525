/** Decides whether new credentials may outlive the credential of the request. */
import { ACCESS_KEY } from './names.js';
import type { KeyLifetimes } from './authentication/lifetime.js';
import type { Credential, KeyFingerprint, User } from '../../authentication/interface.js';
import type { Authorizer } from '../../authorization/interface.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';

type Authorize = Pick<Authorizer, 'authorize'>;

/** Checks the right to `create` `ownedaccesskeys/unlimited`. `name`: of the new key; `''` for other credentials. */
export async function mayBeUnlimited(authorizer: Authorize, user: User, name: string): Promise<boolean> {
  const asked = requestFor('create', OwnedAccessKey, { name, subresource: 'unlimited' });
  return (await authorizer.authorize(user, asked)).allowed;
}

/**
 * The credential that limits new credentials of the user. `extra` has the access key if a front proxy authenticated
 * the user with one.
 */
export function credentialOf({
  credential,
  extra,
}: Pick<User, 'credential' | 'extra'>): Credential | undefined {
  if (credential !== undefined) return credential;
  const accessKey = extra[ACCESS_KEY]?.[0];
  return accessKey === undefined ? undefined : { accessKey };
}

/** The latest expiry of new credentials of the user, in ms since 1970; undefined: no limit. */
export async function endFor(
  authorizer: Authorize,
  lifetimes: Pick<KeyLifetimes, 'credentialEnd'>,
  user: User,
): Promise<number | undefined> {
  const credential = credentialOf(user);
  if (credential === undefined) return undefined;
  const end = lifetimes.credentialEnd(credential, Date.now());
  return end === Infinity || (await mayBeUnlimited(authorizer, user, '')) ? undefined : end;
}

/**
 * The access key that new tokens of the user end with; undefined: none, or the user may create unlimited credentials.
 */
export async function madeWithFor(
  authorizer: Authorize,
  lifetimes: Pick<KeyLifetimes, 'madeWith'>,
  user: User,
): Promise<KeyFingerprint | undefined> {
  const credential = credentialOf(user);
  const key = credential && lifetimes.madeWith(credential);
  return key === undefined || (await mayBeUnlimited(authorizer, user, '')) ? undefined : key;
}
