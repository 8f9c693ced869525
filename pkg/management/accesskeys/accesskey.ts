import { createHmac, randomInt, timingSafeEqual, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'mk_';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^mk_[0-9A-Za-z]{46}$/;

/** A new key: `mk_`, 40 random characters of base62 (238 bits), 6 of checksum, which tells typing errors apart. */
export function generateKey(): string {
  let random = '';
  for (let at = 0; at < RANDOM_LENGTH; at += 1) random += ALPHABET.charAt(randomInt(ALPHABET.length));
  return PREFIX + random + checksum(random);
}

/** Whether a text looks like a key, even if it was damaged. */
export const isMeantAsKey = (text: string): boolean => text.startsWith(PREFIX);

/** Whether a text has the form and checksum of a key; the key may still be unknown. */
export function isKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksum(random));
}

/** HMAC-SHA256 of a key with the store's pepper, the only stored form of a key. */
export function hashKey(key: string, pepper: KeyObject): Buffer {
  return createHmac('sha256', pepper).update(key).digest();
}

/** Constant in time for hashes of one length. */
export function sameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** CRC-32 in base62, most significant digit first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let at = 0; at < CHECKSUM_LENGTH; at += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
