/**
 * Decodes a key, which is percent-encoded as header names have no capitals and few signs. An invalid one stays
 * unchanged. Throws TypeError for one that is not UTF-8.
 * @param key in lower case
 */
export function unescapedExtraKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    if (/%[89a-f][0-9a-f]/.test(key)) throw new TypeError('a key of extra values is not UTF-8');
    return key;
  }
}
