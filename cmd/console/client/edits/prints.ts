/**
 * Detects whether a secret value has changed, without keeping the value: keeps its HMAC with a key that scripts cannot
 * read, and that is created whenever the console is loaded.
 */
import { base64Of } from '../values.js';

let key: Promise<CryptoKey> | undefined;

export async function printOf(value: Uint8Array<ArrayBuffer>): Promise<string> {
  key ??= crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return base64Of(new Uint8Array(await crypto.subtle.sign('HMAC', await key, value)));
}
