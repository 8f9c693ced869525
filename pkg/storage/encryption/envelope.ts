/**
 * The prefix of encrypted values: `k8s:enc:<provider>:v<n>:<key name>:`, as in Kubernetes
 * (`k8s.io/apiserver/pkg/storage/value`). The format of the rest depends on the provider.
 */
import { DAMAGED, type StoredRecord } from '../interface.js';
import type { Keyring } from './interface.js';

const MAGIC = Buffer.from('k8s:enc:');
const COLON = 0x3a;
/** The number of colons in `k8s:enc:aesgcm:v1:key1:`. */
const COLONS = 5;
/** The maximum length of a prefix. */
const MAX_HEADER_BYTES = 512;

/** Whether the value is encrypted. Unencrypted values are JSON, which cannot have this prefix. */
export function isEncrypted(value: Buffer): boolean {
  return value[0] === MAGIC[0] && value.length > MAGIC.length && MAGIC.compare(value, 0, MAGIC.length) === 0;
}

/** The prefix of values that a key encrypts. Throws RangeError for an invalid key name. */
export function headerOf(provider: string, version: string, keyName: string): Buffer {
  if (keyName === '' || keyName.includes(':')) throw new RangeError(`"${keyName}" is no name of a key`);
  return Buffer.from(`${MAGIC.toString()}${provider}:${version}:${keyName}:`);
}

/** The prefix of an encrypted value; undefined if it is incomplete. */
export function headerIn(value: Buffer): string | undefined {
  let end = -1;
  for (let colons = 0; colons < COLONS; colons += 1) {
    end = value.indexOf(COLON, end + 1);
    if (end < 0 || end > MAX_HEADER_BYTES) return undefined;
  }
  return value.toString('latin1', 0, end + 1);
}

/** The prefix of a transformer, as {@link headerIn} returns it. */
export const textOfHeader = ({ header }: { readonly header: Buffer }): string => header.toString('latin1');

/** The name of the key in a prefix; undefined if the text is no prefix. */
export const keyNameOf = (header: string): string | undefined => header.split(':')[COLONS - 1];

/**
 * The decrypted value of a record; undefined if the key is missing, or the value fails authentication with its storage
 * key.
 */
export function plainOf(
  keyring: Pick<Keyring, 'reader'>,
  { key, value }: Pick<StoredRecord, 'key' | 'value'>,
): Buffer | undefined {
  if (!isEncrypted(value)) return value;
  const header = headerIn(value);
  try {
    return header === undefined ? undefined : keyring.reader(header)?.decrypt(value, key);
  } catch {
    return undefined;
  }
}

/** The name of the key that an encrypted value needs, for messages. */
export function keyNameIn(value: Buffer): string {
  const name = keyNameOf(headerIn(value) ?? '');
  return name === undefined || !/^[\x21-\x7e]+$/.test(name) ? DAMAGED : name;
}
