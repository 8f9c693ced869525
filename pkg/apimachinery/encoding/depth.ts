/**
 * The maximum nesting of texts. Functions that parse and walk values recurse, and near the end of the stack V8 ends
 * the process instead of throwing. So deeper texts are never parsed: neither bodies, kubeconfigs, tokens nor
 * responses of others.
 */
import { endOfString } from '../../../api/exactjson.js';
import { parseStored } from './parsestored.js';
import type { JsonValue } from '../../../api/resource.js';

/** The maximum nesting of objects and lists. kube-apiserver accepts 10,000 levels of JSON. */
export const MAX_DEPTH = 400;
/** The maximum nesting of stored values: managedFields nest as deep as the fields, some levels down. */
export const MAX_STORED_DEPTH = 2 * MAX_DEPTH;

export const TOO_DEEP = 'exceeded max depth';

const QUOTE = 0x22;

/** Whether a text of JSON nests deeper than `limit`. Right for every text up to its first syntax error. */
export function isDeeperThan(source: string, limit: number): boolean {
  if (countUpTo(source, '{', limit) + countUpTo(source, '[', limit) <= limit) return false;
  let depth = 0;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (code === QUOTE) i = endOfString(source, i);
    else if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) depth--;
    if (depth > limit) return true;
  }
  return false;
}

/**
 * `JSON.parse` for untrusted texts, without Go's error messages. Throws SyntaxError, also for texts that nest deeper
 * than `limit`.
 */
export function parseJson(source: string, limit = MAX_DEPTH): JsonValue {
  if (isDeeperThan(source, limit)) throw new SyntaxError(TOO_DEEP);
  return parseStored<JsonValue>(source);
}

/** Counts a character; beyond `most`, any larger number. */
export function countUpTo(source: string, character: string, most: number): number {
  let count = 0;
  for (let at = source.indexOf(character); at !== -1 && count <= most; at = source.indexOf(character, at + 1))
    count++;
  return count;
}
