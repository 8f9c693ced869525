/**
 * A file of data keys: 32 bytes as base64 on each line. The first key encrypts, all keys decrypt. Empty lines and lines
 * that begin with `#` are ignored. Pure.
 */
import { randomBytes } from 'node:crypto';
import { DATA_KEY_BYTES } from './hkdfaesgcm.js';

const KEY_CHARACTERS = 44;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;
export const MAX_KEYS = 100;

const HEAD = `# Keys of the values in the store of management-apiserver: base64 of 32 bytes, one a line.
# The first encrypts, all decrypt. Without them the store cannot be read: keep a copy, apart from backups of the store.
`;

/** Returns at least one key. Throws Error, which names the line, and never its content. */
export function parseKeyFile(text: string): readonly Buffer[] {
  const keys: Buffer[] = [];
  for (const [index, whole] of text.split('\n').entries()) {
    const line = whole.trim();
    if (line === '' || line.startsWith('#')) continue;
    const key = Buffer.from(line, 'base64');
    if (!BASE64.test(line) || key.length !== DATA_KEY_BYTES || key.toString('base64') !== line) {
      const found = line.length === KEY_CHARACTERS ? '' : ` and has ${line.length} characters`;
      throw new Error(
        `line ${index + 1} is no key: it must be base64 of ${DATA_KEY_BYTES} bytes, ${KEY_CHARACTERS} characters,${found === '' ? ' which it is not' : found}`,
      );
    }
    if (keys.some((other) => other.equals(key))) throw new Error(`line ${index + 1} has a key again`);
    keys.push(key);
    if (keys.length > MAX_KEYS) throw new Error(`there are more than ${MAX_KEYS} keys`);
  }
  if (keys.length === 0) throw new Error('there is no key in it');
  return keys;
}

/** The same; none for a text that {@link parseKeyFile} refuses. */
export function keysIn(text: string): readonly Buffer[] {
  try {
    return parseKeyFile(text);
  } catch {
    return [];
  }
}

export function formatKeyFile(keys: readonly Buffer[]): string {
  return HEAD + keys.map((key) => `${key.toString('base64')}\n`).join('');
}

export const newDataKey = (): Buffer => randomBytes(DATA_KEY_BYTES);
