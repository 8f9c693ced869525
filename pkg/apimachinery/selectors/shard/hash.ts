/** The upper and the lower half. */
const OFFSET_BASIS: readonly [number, number] = [0xcbf29ce4, 0x84222325];
/** The prime is 2^40 + 0x1b3. */
const PRIME_LOW = 0x1b3;

/** FNV-1a of the UTF-8 text: 16 hexadecimal digits (`HashField` in `k8s.io/apimachinery/pkg/sharding`). */
export function hashField(value: string): string {
  let [high, low] = OFFSET_BASIS;
  for (const byte of Buffer.from(value)) {
    low = (low ^ byte) >>> 0;
    // Below 2^53: 32 bits times 9.
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / 0x1_0000_0000) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return digits(high) + digits(low);
}

const digits = (word: number): string => word.toString(16).padStart(8, '0');
