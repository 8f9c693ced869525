/** What becomes of the Secret that the key file of a server came from. Pure. */
import { formatKeyFile, keysIn, MAX_KEYS } from './keyfile.js';
import { dataKeyName } from './hkdfaesgcm.js';

export interface KeySecretPlan {
  /** The names of the keys that the store needs, of those in the file. */
  readonly needed: readonly string[];
  /** The content that the Secret must get; undefined: it has the keys. */
  readonly write: string | undefined;
}

/**
 * A needed key that the Secret lacks is put back. Other keys of the Secret stay, behind those of the file, so that
 * nobody's key is lost.
 * @param found the content of the Secret; undefined: it does not exist
 * @param held the keys of the file
 * @param used the names of the keys that records of the store may need
 */
export function keySecretPlan(
  found: string | undefined,
  held: readonly Buffer[],
  used: readonly string[],
): KeySecretPlan {
  const there = keysIn(found ?? '');
  const has = (keys: readonly Buffer[], key: Buffer): boolean => keys.some((one) => one.equals(key));
  const needed = held.filter((key) => used.includes(dataKeyName(key)));
  // Nothing is missed where other keys than those of the file are used, such as one of a KMS plug-in.
  const isUnused = used.length > 0 && needed.length === 0;
  const isWhole = isUnused || (there.length > 0 && needed.every((key) => has(there, key)));
  const all = [...held, ...there.filter((key) => !has(held, key))].slice(0, MAX_KEYS);
  return { needed: needed.map(dataKeyName), write: isWhole ? undefined : formatKeyFile(all) };
}

/**
 * The keys that the cluster is told of, of those of the Secret. A server that started before a rotation has not all of them
 * in its file: what others have noted stays while the store uses it.
 * @param noted what the cluster was told before
 * @param needed of the plan
 * @param used the names of the keys that records of the store may need
 */
export const notedKeys = (
  noted: readonly string[],
  needed: readonly string[],
  used: readonly string[],
): readonly string[] => [...needed, ...noted.filter((name) => used.includes(name) && !needed.includes(name))];
