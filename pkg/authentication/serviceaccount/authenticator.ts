import { Secret, TOKEN_SECRET } from '../../../api/core/v1/secret.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { digest } from '../bearer.js';
import { AUTHENTICATED } from '../groups.js';
import { REFUSED, type Authenticator, type User } from '../interface.js';
import { issuedTokenAuthenticator, type TokenKind, type Verified } from '../issuedtoken/authenticator.js';
import type { TokenKeys } from '../issuedtoken/keys.js';
import {
  CLAIM,
  accountGroups,
  accountName,
  readClaim,
  type BoundObject,
  type ServiceAccountToken,
} from './token.js';

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** The newest object in the cache. `path`: `namespace/name`. */
export type ReadObject = (resource: 'serviceaccounts' | 'secrets', path: string) => KubeObject | undefined;

export interface ServiceAccountParts {
  readonly keys: TokenKeys;
  readonly read: ReadObject;
  /** The audiences of tokens for this API. */
  readonly audiences: readonly string[];
  readonly madeWithEnd: TokenKind<ServiceAccountToken>['madeWithEnd'];
}

/**
 * Tokens of service accounts: whether the account and the Secret that one is bound to are still the same is asked each
 * time, and whether the Secret that holds one still does.
 */
export function serviceAccountAuthenticator({
  keys,
  read,
  audiences: own,
  madeWithEnd,
}: ServiceAccountParts): Authenticator {
  return issuedTokenAuthenticator<ServiceAccountToken>(keys, {
    claim: CLAIM,
    madeWithEnd,
    read(payload) {
      const token = readClaim(payload[CLAIM]);
      if (token === undefined) return undefined;
      const { namespace, serviceAccount } = token;
      return payload.sub === accountName({ namespace, name: serviceAccount.name }) ? token : undefined;
    },
    authenticate(verified, asked) {
      const { namespace, serviceAccount, secret, heldBy } = verified.content;
      const isThere = (resource: 'serviceaccounts' | 'secrets', { name, uid }: BoundObject): boolean =>
        read(resource, `${namespace}/${name}`)?.metadata.uid === uid;
      if (!isThere('serviceaccounts', serviceAccount)) return REFUSED;
      if (secret !== undefined && !isThere('secrets', secret)) return REFUSED;
      if (heldBy !== undefined && !isHeld(read('secrets', `${namespace}/${heldBy}`), verified.digest))
        return REFUSED;
      const wanted = asked.length > 0 ? asked : own;
      const audiences = wanted.filter((audience) => verified.audiences.includes(audience));
      if (audiences.length === 0) return REFUSED;
      return { outcome: 'user', user: userOf(verified), audiences };
    },
  });
}

function isHeld(found: KubeObject | undefined, wanted: string): boolean {
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return false;
  const { type, data } = asKind(Secret, found);
  return (
    type === TOKEN_SECRET && digest(Buffer.from(data?.token ?? '', 'base64').toString('latin1')) === wanted
  );
}

function userOf({ content, id, expires, madeWith }: Verified<ServiceAccountToken>): User {
  const { namespace, serviceAccount } = content;
  return {
    name: accountName({ namespace, name: serviceAccount.name }),
    uid: serviceAccount.uid,
    groups: [...accountGroups(namespace), AUTHENTICATED],
    extra: id === '' ? {} : { [CREDENTIAL_ID]: [`JTI=${id}`] },
    credential: { expires, ...(madeWith !== undefined && { madeWith }) },
  };
}
