/**
 * The `aesgcm` provider of Kubernetes (`k8s.io/apiserver/pkg/storage/value/encrypt/aes`): a static key, a random nonce
 * of 12 bytes, the ciphertext, and a tag of 16 bytes. The storage key is additional authenticated data. The key must be
 * rotated every 200,000 writes.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
  type CipherGCMTypes,
} from 'node:crypto';
import { headerOf } from './envelope.js';
import type { Transformer } from './interface.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHERS: Readonly<Record<number, CipherGCMTypes>> = {
  16: 'aes-128-gcm',
  24: 'aes-192-gcm',
  32: 'aes-256-gcm',
};

/** Throws RangeError for a secret that does not have 16, 24 or 32 bytes. */
export function aesGcm(keyName: string, secret: Buffer): Transformer {
  const cipherName = CIPHERS[secret.length];
  if (cipherName === undefined) throw new RangeError('a secret of aesgcm has 16, 24 or 32 bytes');
  const cipherKey = createSecretKey(secret);
  const header = headerOf('aesgcm', 'v1', keyName);
  const start = header.length + NONCE_BYTES;
  return {
    header,
    keyName,
    encrypt(value, key) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(cipherName, cipherKey, nonce);
      cipher.setAAD(Buffer.from(key));
      const parts = [header, nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts);
    },
    decrypt(value, key) {
      const end = value.length - TAG_BYTES;
      if (end < start) throw new Error('the value is cut short');
      const nonce = value.subarray(header.length, start);
      const decipher = createDecipheriv(cipherName, cipherKey, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(key));
      decipher.setAuthTag(value.subarray(end));
      const plain = decipher.update(value.subarray(start, end));
      decipher.final();
      return plain;
    },
  };
}
