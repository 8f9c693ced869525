import { isObject } from '../members.js';

/** The claims of a text: JSON, or a signed token, which is not verified. Undefined: it is neither. */
export function claimsIn(text: string): Record<string, unknown> | undefined {
  const parts = text.trim().split('.');
  const isToken = parts.length === 3 && parts.every((part) => /^[\w-]+$/.test(part));
  try {
    const claims: unknown = JSON.parse(isToken ? textOf(parts[1] ?? '') : text);
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** Base64url. Throws where it is none. */
function textOf(encoded: string): string {
  const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
}
