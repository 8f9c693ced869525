/**
 * Key order. Stores order keys by UTF-8 bytes, JavaScript compares strings by UTF-16 code units; they differ for
 * characters above U+FFFF, whose surrogates are below U+E000.
 */

const BEYOND_ASCII_ORDER = /[\ud800-\uffff]/;
const MOVED = /[\ud800-\uffff]/g;

/**
 * A string whose order under `<` is the order of `key` by UTF-8 bytes. One-to-one; the key itself unless it holds
 * code units from U+D800 on.
 */
export function sortKey(key: string): string {
  return BEYOND_ASCII_ORDER.test(key) ? key.replace(MOVED, swapSurrogates) : key;
}

function swapSurrogates(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code >= 0xe000 ? code - 0x800 : code + 0x2000);
}

/** For keys made by {@link sortKey}. */
export function compareSortKeys(left: string, right: string): number {
  return left < right ? -1 : left === right ? 0 : 1;
}

/** The exclusive end of all sort keys that begin with `prefix`, which is `''` or ends with `/`; absent: no end. */
export function sortKeyEnd(prefix: string): string | undefined {
  return prefix === '' ? undefined : `${sortKey(prefix).slice(0, -1)}0`;
}
