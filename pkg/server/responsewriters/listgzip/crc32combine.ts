/**
 * CRC-32 of joined data from the CRCs of its parts, without reading the data again: appending n bytes multiplies the
 * CRC of the first part by x^(8n), modulo the polynomial (`crc32_combine_gen` and `crc32_combine_op` of zlib).
 */

/** The polynomial of gzip (RFC 1952 section 8), bits reversed: the highest power is the lowest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000 | 0;

/** a(x) * b(x) modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let power = b;
  for (let bit = a; bit !== 0; bit <<= 1) {
    if (bit < 0) product ^= power;
    power = (power & 1) === 0 ? power >>> 1 : (power >>> 1) ^ POLYNOMIAL;
  }
  return product;
}

/** x^(8 * 2^n) for each n: every length below 2^48 is a product of these. */
const BYTE_POWERS: readonly number[] = (() => {
  const powers = [multiply(ONE >>> 4, ONE >>> 4)];
  while (powers.length < 48) {
    const last = powers[powers.length - 1]!;
    powers.push(multiply(last, last));
  }
  return powers;
})();

/** The factor for {@link combineCrc32} by the length of the second part, in bytes. */
export function crc32Shift(length: number): number {
  let shift = ONE;
  for (let rest = length, n = 0; rest > 0; rest = Math.floor(rest / 2), n += 1) {
    if (rest % 2 === 1) shift = multiply(BYTE_POWERS[n]!, shift);
  }
  return shift;
}

/** The CRC-32 of two parts joined; `shift` is {@link crc32Shift} of the second one's length. */
export function combineCrc32(first: number, second: number, shift: number): number {
  return (multiply(shift, first) ^ second) >>> 0;
}
