/** Texts that come back from clients as they were given out: encrypted, for one purpose and a time. */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface Seal {
  seal(purpose: string, content: object, lifeMs: number): string;
  /** Undefined: not sealed here, for another purpose, or too old. */
  open<Content>(purpose: string, sealed: string): Content | undefined;
}

/** `secret`: shared by all servers of a store, so that any of them opens what another sealed. */
export function createSeal(secret: KeyObject, now: () => number = Date.now): Seal {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'login', 32)));
  return {
    seal(purpose, content, lifeMs) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
      const plain = JSON.stringify({ until: now() + lifeMs, content });
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open<Content>(purpose: string, text: string) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
          .setAAD(Buffer.from(purpose))
          .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const plain = Buffer.concat([
          decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
          decipher.final(),
        ]);
        const { until, content } = parseStored<{ until: number; content: Content }>(plain);
        return now() < until ? content : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
