/** Whose credentials may outlive the credential that they are made with. */
import { ACCESS_KEY } from '../authentication/accesskey/authenticator.js';
import type { KeyLifetimes } from '../authentication/accesskey/lifetime.js';
import type { Credential, KeyFingerprint, User } from '../authentication/interface.js';
import type { Authorizer } from './interface.js';

type Authorize = Pick<Authorizer, 'authorize'>;

/** The right to `create` `ownedaccesskeys/unlimited`. `name`: of the key that is made; `''` of what is no key. */
export async function mayBeUnlimited(authorizer: Authorize, user: User, name: string): Promise<boolean> {
  const decision = await authorizer.authorize(user, {
    ...{ kind: 'resource', verb: 'create', group: 'management.svc.example', version: 'v1' },
    ...{ resource: 'ownedaccesskeys', subresource: 'unlimited', namespace: '', name },
  } as const);
  return decision.allowed;
}

/** What bounds what the user makes. A front proxy tells in `extra` which access key it was shown. */
export function credentialOf({
  credential,
  extra,
}: Pick<User, 'credential' | 'extra'>): Credential | undefined {
  if (credential !== undefined) return credential;
  const accessKey = extra[ACCESS_KEY]?.[0];
  return accessKey === undefined ? undefined : { accessKey };
}

/** When what the user makes has to end, in ms since 1970; undefined: at no time. */
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

/** The access key that tokens end with that the user makes; undefined: none, or the user may make what does not end. */
export async function madeWithFor(
  authorizer: Authorize,
  lifetimes: Pick<KeyLifetimes, 'madeWith'>,
  user: User,
): Promise<KeyFingerprint | undefined> {
  const credential = credentialOf(user);
  const key = credential && lifetimes.madeWith(credential);
  return key === undefined || (await mayBeUnlimited(authorizer, user, '')) ? undefined : key;
}
