/**
 * Whether a secret value is still the one that it was, without keeping it: its HMAC with a key that no script can read, made
 * anew whenever the console is loaded.
 */
import { base64Of } from '../values.js';

let key: Promise<CryptoKey> | undefined;

export async function printOf(value: Uint8Array<ArrayBuffer>): Promise<string> {
  key ??= crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return base64Of(new Uint8Array(await crypto.subtle.sign('HMAC', await key, value)));
}
