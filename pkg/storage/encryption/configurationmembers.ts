/** Members and lists of a file that somebody wrote. Throws Error, which names the place. Pure. */
import { isObject } from '../../apimachinery/encoding/members.js';

export type Members = Readonly<Record<string, unknown>>;

/** @param allowed absent: any members */
export function membersOf(value: unknown, at: string, allowed?: readonly string[]): Members {
  if (!isObject(value)) throw new Error(`${at}: it must be an object`);
  const unknown = Object.keys(value).find((name) => allowed?.includes(name) === false);
  if (unknown !== undefined)
    throw new Error(`${at}: there is no member ${JSON.stringify(unknown.slice(0, 64))}`);
  return value;
}

export function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new Error(`${at}: it must be a list that is not empty`);
  return value;
}
