/**
 * How encrypted values begin: `k8s:enc:<provider>:v<n>:<key name>:`, as in Kubernetes
 * (`k8s.io/apiserver/pkg/storage/value`). What follows is the provider's.
 */
import { DAMAGED } from '../interface.js';
import type { StoredRecord } from '../interface.js';
import type { Keyring } from './interface.js';

const MAGIC = Buffer.from('k8s:enc:');
const COLON = 0x3a;
/** Of `k8s:enc:aesgcm:v1:key1:`. */
const COLONS = 5;
/** Provider, version and key name together are shorter. */
const MAX_HEADER_BYTES = 512;

/** Whether the value is encrypted. No value of ours begins so otherwise: they are JSON. */
export function isEncrypted(value: Buffer): boolean {
  return value[0] === MAGIC[0] && value.length > MAGIC.length && MAGIC.compare(value, 0, MAGIC.length) === 0;
}

/** The bytes that values of a key begin with. RangeError for a name that cannot be in them. */
export function headerOf(provider: string, version: string, keyName: string): Buffer {
  if (keyName === '' || keyName.includes(':')) throw new RangeError(`"${keyName}" is no name of a key`);
  return Buffer.from(`${MAGIC.toString()}${provider}:${version}:${keyName}:`);
}

/** The header of an encrypted value; undefined where it is cut short. */
export function headerIn(value: Buffer): string | undefined {
  let end = -1;
  for (let colons = 0; colons < COLONS; colons += 1) {
    end = value.indexOf(COLON, end + 1);
    if (end < 0 || end > MAX_HEADER_BYTES) return undefined;
  }
  return value.toString('latin1', 0, end + 1);
}

/** As {@link headerIn} has it. */
export const textOfHeader = ({ header }: { readonly header: Buffer }): string => header.toString('latin1');

/** The name of the key in a header; undefined for what is none. */
export const keyNameOf = (header: string): string | undefined => header.split(':')[COLONS - 1];

/** What a record holds; undefined where its key is not there, or it is not what was encrypted under its storage key. */
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

/** The name of the key that an encrypted value says it needs, for people. */
export function keyNameIn(value: Buffer): string {
  const name = keyNameOf(headerIn(value) ?? '');
  return name === undefined || !/^[\x21-\x7e]+$/.test(name) ? DAMAGED : name;
}
