/**
 * AES-256-GCM with a key for each write, after the idea of the extended nonce of Kubernetes' KMS v2: the key is derived
 * from a data key by HKDF-Expand (RFC 5869) with 32 random bytes, which stand in the value. So neither the number of
 * writes nor a store that was restored makes a key and nonce meet twice.
 *
 * A value: the header, 32 bytes of `info`, 12 of nonce, the ciphertext, 16 of tag.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  randomBytes,
} from 'node:crypto';
import type { CipherGCM, KeyObject } from 'node:crypto';
import { headerOf } from './envelope.js';
import type { Transformer } from './interface.js';

export const DATA_KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const INFO_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const RANDOM_BYTES = INFO_BYTES + NONCE_BYTES;
const NAME_CHARACTERS = 16;
/** So many ciphers are made at once: in a row each takes a third of what it takes alone, between other work. */
const PREPARED = 256;

/** A cipher for one write. */
interface Prepared {
  /** What its key is derived with, and its nonce. */
  readonly random: Buffer;
  readonly cipher: CipherGCM;
}

/** The name of a data key: tells keys apart, and nothing about the key. */
export function dataKeyName(dataKey: Buffer): string {
  return createHash('sha256')
    .update('management-apiserver data key\n')
    .update(dataKey)
    .digest('hex')
    .slice(0, NAME_CHARACTERS);
}

/** What the header of values says besides the name of the data key. */
export interface HeaderParts {
  readonly provider: string;
  readonly version: string;
  /** Before the name. */
  readonly prefix: string;
}

const OWN: HeaderParts = { provider: 'hkdf-aesgcm', version: 'v1', prefix: '' };

/** `dataKey`: 32 random bytes. They are copied out of the memory of JavaScript. */
export function hkdfAesGcm(dataKey: Buffer, { provider, version, prefix }: HeaderParts = OWN): Transformer {
  if (dataKey.length !== DATA_KEY_BYTES) throw new RangeError(`a data key has ${DATA_KEY_BYTES} bytes`);
  const secret = createSecretKey(dataKey);
  const keyName = prefix + dataKeyName(dataKey);
  const header = headerOf(provider, version, keyName);
  const start = header.length + RANDOM_BYTES;
  const line = `${header.toString()}\n`;
  const associated = (key: string): Buffer => Buffer.from(line + key);
  const prepared: Prepared[] = [];

  function prepareMore(): Prepared {
    const bytes = randomBytes(PREPARED * RANDOM_BYTES);
    const made = (at: number): Prepared => {
      const random = bytes.subarray(at, at + RANDOM_BYTES);
      const cipherKey = expand(secret, random.subarray(0, INFO_BYTES));
      return { random, cipher: createCipheriv(CIPHER, cipherKey, random.subarray(INFO_BYTES)) };
    };
    for (let at = RANDOM_BYTES; at < bytes.length; at += RANDOM_BYTES) prepared.push(made(at));
    return made(0);
  }

  return {
    header,
    keyName,
    encrypt(value, key) {
      const whole = Buffer.allocUnsafe(start + value.length + TAG_BYTES);
      const { random, cipher } = prepared.pop() ?? prepareMore();
      header.copy(whole);
      random.copy(whole, header.length);
      cipher.setAAD(associated(key));
      cipher.update(value).copy(whole, start);
      cipher.final();
      cipher.getAuthTag().copy(whole, whole.length - TAG_BYTES);
      return whole;
    },
    decrypt(value, key) {
      const end = value.length - TAG_BYTES;
      if (end < start) throw new Error('the value is cut short');
      const info = value.subarray(header.length, header.length + INFO_BYTES);
      const nonce = value.subarray(start - NONCE_BYTES, start);
      const decipher = createDecipheriv(CIPHER, expand(secret, info), nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(associated(key));
      decipher.setAuthTag(value.subarray(end));
      const plain = decipher.update(value.subarray(start, end));
      decipher.final();
      return plain;
    },
  };
}

const FIRST_BLOCK = Buffer.from([1]);

/**
 * HKDF-Expand with SHA-256 for 32 bytes: one block. The secret is uniform, so that there is nothing to extract.
 * A KeyObject, as on Node 24 a cipher takes 1 µs to make of one, and 10 µs of a Buffer.
 */
export function expand(secret: KeyObject, info: Buffer): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update(info).update(FIRST_BLOCK).digest());
}
