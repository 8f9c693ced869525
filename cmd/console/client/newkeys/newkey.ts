/** New values of access keys, which a rotation sends. The form is that of `platform`. */
import { encoded, generated } from '../values.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

/** `mk_`, 40 random characters, and their checksum. */
export function newKey(): string {
  const random = generated(RANDOM_LENGTH);
  return `mk_${random}${checksum(random)}`;
}

/** CRC-32 in base62, the most significant digit first. */
function checksum(text: string): string {
  let rest = crc32(encoded(text));
  let digits = '';
  for (let at = 0; at < CHECKSUM_LENGTH; at += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
