/**
 * The `secretbox` provider of Kubernetes (`k8s.io/apiserver/pkg/storage/value/encrypt/secretbox`): XSalsa20 and
 * Poly1305 with a static key and a random nonce of 24 bytes, which is long enough never to repeat by chance. The
 * algorithm has no additional authenticated data, so the SHA-256 hash of the storage key is encrypted with the value.
 */
import { createHash, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { headerOf } from './envelope.js';
import type { Transformer } from './interface.js';

const SECRET_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const DIGEST_BYTES = 32;

/** Throws RangeError for a secret that does not have 32 bytes. */
export function secretBox(keyName: string, secret: Buffer): Transformer {
  if (secret.length !== SECRET_BYTES) throw new RangeError('a secret of secretbox has 32 bytes');
  const header = headerOf('secretbox', 'v1', keyName);
  const start = header.length + NONCE_BYTES;
  return {
    header,
    keyName,
    encrypt(value, key) {
      const nonce = randomBytes(NONCE_BYTES);
      const sealed = xsalsa20poly1305(secret, nonce).encrypt(Buffer.concat([digestOf(key), value]));
      return Buffer.concat([header, nonce, sealed]);
    },
    decrypt(value, key) {
      if (value.length < start + TAG_BYTES + DIGEST_BYTES) throw new Error('the value is cut short');
      const nonce = value.subarray(header.length, start);
      const plain = xsalsa20poly1305(secret, nonce).decrypt(value.subarray(start));
      const opened = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
      if (!opened.subarray(0, DIGEST_BYTES).equals(digestOf(key)))
        throw new Error('the value was encrypted under another storage key');
      return opened.subarray(DIGEST_BYTES);
    },
  };
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();
