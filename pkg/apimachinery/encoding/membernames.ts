import { encodeString } from './gostring.js';

/** The size of the cache of names, which objects of a kind repeat; all kinds share it. */
const MAX_NAMES = 8192;
/** Longer names are not cached. */
const MAX_CHARACTERS = 128;
const BEYOND_ASCII = /[^ -~]/;

/**
 * Caches {@link encodeName} of ASCII names. It is cleared when full, which bounds the memory for names that clients
 * choose.
 */
const known = new Map<string, string>();

/** A member's name in Go's JSON, with the colon. */
export function encodeName(name: string): string {
  return known.get(name) ?? (isPlainName(name) ? known.get(name) : undefined) ?? `${encodeString(name)}:`;
}

/** Whether a name is printable ASCII, whose order by code units is the order by bytes. */
export function isPlainName(name: string): boolean {
  if (known.has(name)) return true;
  if (BEYOND_ASCII.test(name)) return false;
  if (name.length > MAX_CHARACTERS) return true;
  if (known.size >= MAX_NAMES) known.clear();
  known.set(name, `${encodeString(name)}:`);
  return true;
}
