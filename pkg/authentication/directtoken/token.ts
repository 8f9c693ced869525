/** The content of tokens for direct access to connected clusters. */
import { membersOf } from '../../apimachinery/encoding/members.js';
import type { DirectTokenClaims, TokenHolder } from '../../registry/management/services.js';
import { madeWithClaim } from '../issuedtoken/madewith.js';
import type { TokenContent } from '../issuedtoken/sign.js';

/** The claim that says whose token it is. */
export const CLAIM = 'management.svc.example';

/** The audience of a token with a scope: reviewers that enforce scopes. */
export const scopedAudience = (audience: string): string => `${audience}/scoped`;

/** The audience of a token for one Cluster; `''`: for any. `audience`: of all connected clusters. */
export const clusterAudience = (audience: string, cluster: string): string =>
  cluster === '' ? audience : `${audience}/${cluster}`;

export interface DirectToken {
  readonly subject: string;
  readonly groups: readonly string[];
  readonly holder: TokenHolder;
}

/** `audience`: of connected clusters. */
export function directTokenContent(claims: DirectTokenClaims, audience: string): TokenContent {
  const { subject, groups, holder, cluster, issuedAt, expiresAt, madeWith } = claims;
  const own = clusterAudience(audience, cluster);
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
  return typeof name === 'string' && typeof uid === 'string' && typeof generation === 'number';
}
