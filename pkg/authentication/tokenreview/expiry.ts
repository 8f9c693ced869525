import { parseJson } from '../../apimachinery/encoding/depth.js';

/** The expiry in a token of the host, in ms since 1970; undefined: it is not a JWT, or has none. */
export function expiryOf(token: string): number | undefined {
  const [, payload, signature, ...rest] = token.split('.', 4);
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  try {
    const claims: unknown = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return undefined;
    return typeof claims.exp === 'number' ? claims.exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
