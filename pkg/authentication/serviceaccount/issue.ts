import type { KeyFingerprint } from '../interface.js';
import { madeWithClaim } from '../issuedtoken/madewith.js';
import type { SignToken } from '../issuedtoken/sign.js';
import { CLAIM, accountName, claimOf, type ServiceAccountToken } from './token.js';

/** Times in seconds since the epoch. */
export interface AccountTokenContent extends ServiceAccountToken {
  /** Absent: the first of this API. */
  readonly audiences?: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The access key that it ends with. */
  readonly madeWith: KeyFingerprint | undefined;
}

export type IssueAccountToken = (content: AccountTokenContent) => ReturnType<SignToken>;

/** Issues tokens of service accounts. `own`: the audiences of tokens for this API. */
export function accountTokenIssuer(sign: SignToken, own: readonly string[]): IssueAccountToken {
  return ({ audiences = own.slice(0, 1), issuedAt, expiresAt, madeWith, ...account }) => {
    const subject = accountName(account.namespace, account.serviceAccount.name);
    const claims = { [CLAIM]: claimOf(account), ...madeWithClaim(madeWith) };
    return sign({ subject, audiences, issuedAt, expiresAt, claims });
  };
}
