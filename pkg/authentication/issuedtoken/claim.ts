import { parseJson } from '../../apimachinery/encoding/depth.js';

/** Whether a token says of itself that it has a claim: nothing is known of it yet. */
export function hasClaim(token: string, claim: string): boolean {
  const [, payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return false;
  try {
    const claims: unknown = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null && Object.hasOwn(claims, claim);
  } catch {
    return false;
  }
}
