/**
 * Decodes a key, which is percent-encoded as header names have no capitals and few signs. An invalid one stays
 * unchanged.
 */
export function unescapedExtraKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
