import { parseJson } from '../../apimachinery/encoding/depth.js';

/** The longest token that is read: a TokenReview may bring 3 MB. */
const LONGEST_TOKEN = 64 * 1024;

/** Whether an unverified token has a claim. */
export function hasClaim(token: string, claim: string): boolean {
  if (token.length > LONGEST_TOKEN) return false;
  const [, payload, signature, ...rest] = token.split('.', 4);
  if (payload === undefined || signature === undefined || rest.length > 0) return false;
  try {
    const claims: unknown = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null && Object.hasOwn(claims, claim);
  } catch {
    return false;
  }
}
