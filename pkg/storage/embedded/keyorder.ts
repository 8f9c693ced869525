/** The order of keys: that of their UTF-8 bytes. */
import type { KeyRange } from '../interface.js';

/**
 * Negative, 0 or positive, as the UTF-8 bytes of `a` and `b` compare. JavaScript's own order is that of UTF-16
 * units, in which surrogates (characters from U+10000) come before U+E000 to U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

export function inRange(key: string, range: KeyRange): boolean {
  return compareKeys(key, range.start) >= 0 && compareKeys(key, range.end) < 0;
}
