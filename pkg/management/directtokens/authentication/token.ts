/** The content of tokens for direct access to connected clusters. */
import { membersOf } from '../../../apimachinery/encoding/members.js';
import type { DirectTokenClaims, TokenHolder } from '../../services.js';
import { madeWithClaim } from '../../../authentication/issuedtoken/madewith.js';
import type { TokenContent } from '../../../authentication/issuedtoken/sign.js';
import { isNumber } from '../../../../api/exactjson.js';

/** The claim that says whose token it is. */
export const CLAIM = 'management.svc.example';

/** The audience of tokens for any connected cluster; that of one begins with it. */
export const DIRECT_AUDIENCE = 'management-direct-endpoint';

/** The audience of a token with a scope: reviewers that enforce scopes. */
export const scopedAudience = (audience: string): string => `${audience}/scoped`;

/** The audience of a token for one Cluster; `''`: for any. */
export const clusterAudience = (cluster: string): string =>
  cluster === '' ? DIRECT_AUDIENCE : `${DIRECT_AUDIENCE}/${cluster}`;

export interface DirectToken {
  readonly subject: string;
  readonly groups: readonly string[];
  readonly holder: TokenHolder;
}

export function directTokenContent(claims: DirectTokenClaims): TokenContent {
  const { subject, groups, holder, cluster, issuedAt, expiresAt, madeWith } = claims;
  const own = clusterAudience(cluster);
  const audiences = holder.scope === undefined ? [own] : [own, scopedAudience(own)];
  const content = { groups, [CLAIM]: holder, ...madeWithClaim(madeWith) };
  return { subject, audiences, issuedAt, expiresAt, claims: content };
}

/** The content of a token with a valid signature; undefined if it is of another kind. */
export function readDirectToken(payload: Readonly<Record<string, unknown>>): DirectToken | undefined {
  const { sub: subject, groups, [CLAIM]: holder } = payload;
  if (typeof subject !== 'string' || !Array.isArray(groups)) return undefined;
  return isHolder(holder) ? { subject, groups, holder } : undefined;
}

/** The scope of a genuine token is one that this server checked before it signed it. */
function isHolder(holder: unknown): holder is TokenHolder {
  const { kind, name, uid, generation } = membersOf(holder);
  if (kind !== 'User' && kind !== 'Team') return false;
  return typeof name === 'string' && typeof uid === 'string' && isNumber(generation);
}
