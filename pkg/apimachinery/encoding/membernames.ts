import { encodeString } from './gostring.js';

/** Objects of a kind repeat the same names: as many as this are kept, shared by all kinds. */
const MOST_NAMES = 8192;
/** Longer names are not kept. */
const MOST_CHARACTERS = 128;
const BEYOND_ASCII = /[^ -~]/;

/** {@link encodeName} of ASCII names. Forgotten when full, so that names that clients make up take no more room. */
const known = new Map<string, string>();

/** A member's name as Go's JSON has it, and the colon after it. */
export function encodeName(name: string): string {
  return known.get(name) ?? (isPlainName(name) ? known.get(name) : undefined) ?? `${encodeString(name)}:`;
}

/** Whether a name is printable ASCII, so that comparing code units orders it as its bytes are ordered. */
export function isPlainName(name: string): boolean {
  if (known.has(name)) return true;
  if (BEYOND_ASCII.test(name)) return false;
  if (name.length > MOST_CHARACTERS) return true;
  if (known.size >= MOST_NAMES) known.clear();
  known.set(name, `${encodeString(name)}:`);
  return true;
}
