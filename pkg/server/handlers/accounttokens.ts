import { madeWithClaim } from '../../authentication/issuedtoken/madewith.js';
import type { SignToken } from '../../authentication/issuedtoken/sign.js';
import { CLAIM, accountName, claimOf } from '../../authentication/serviceaccount/token.js';
import type { RequestServices } from '../../registry/virtualresource.js';

/** Issues tokens of service accounts. `own`: the audiences of tokens for this API, of which the first is the default. */
export function accountTokenIssuer(sign: SignToken, own: readonly string[]): RequestServices['issueToken'] {
  return ({ audiences = own.slice(0, 1), issuedAt, expiresAt, madeWith, ...account }) => {
    const subject = accountName({ namespace: account.namespace, name: account.serviceAccount.name });
    const claims = { [CLAIM]: claimOf(account), ...madeWithClaim(madeWith) };
    return sign({ subject, audiences, issuedAt, expiresAt, claims });
  };
}
