/**
 * AES-256-GCM with a new key for each write, like the extended nonce of KMS v2 in Kubernetes: the key is derived from a
 * data key by HKDF-Expand (RFC 5869) with 32 random bytes, which are part of the value. So no pair of key and nonce
 * repeats, no matter how many writes there are, and even if the store is restored.
 *
 * The format of a value: the prefix, 32 bytes of `info`, 12 bytes of nonce, the ciphertext, 16 bytes of tag.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  randomBytes,
  type CipherGCM,
  type KeyObject,
} from 'node:crypto';
import { headerOf } from './envelope.js';
import type { Transformer } from './interface.js';

export const DATA_KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const INFO_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const RANDOM_BYTES = INFO_BYTES + NONCE_BYTES;
const NAME_CHARACTERS = 16;
/**
 * The number of ciphers that are created at once. In a batch, each takes a third of the time that it takes between
 * other work.
 */
const PREPARED = 256;

/** A cipher for one write. */
interface Prepared {
  /** The `info` of its key, and its nonce. */
  readonly random: Buffer;
  readonly cipher: CipherGCM;
}

/** The name of a data key. It identifies the key, and reveals nothing about it. */
export function dataKeyName(dataKey: Buffer): string {
  return createHash('sha256')
    .update('management-apiserver data key\n')
    .update(dataKey)
    .digest('hex')
    .slice(0, NAME_CHARACTERS);
}

/** The parts of the prefix besides the name of the data key. */
export interface HeaderParts {
  readonly provider: string;
  readonly version: string;
  /** The text before the name of the data key. */
  readonly prefix: string;
}

const OWN: HeaderParts = { provider: 'hkdf-aesgcm', version: 'v1', prefix: '' };

/** `dataKey`: 32 random bytes. They are copied out of the JavaScript heap. */
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
 * HKDF-Expand with SHA-256 to 32 bytes, which is one block. The secret is uniformly random, so it needs no
 * HKDF-Extract. Returns a KeyObject: on Node 24, a cipher is created from it in 1 µs, but in 10 µs from a Buffer.
 */
export function expand(secret: KeyObject, info: Buffer): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update(info).update(FIRST_BLOCK).digest());
}
