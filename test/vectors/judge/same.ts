import { deepStrictEqual } from 'node:assert/strict';
import { StatusError } from '../../../pkg/apimachinery/errors.js';

/** Equality of JSON: members unordered, a member of undefined counts as absent. Throws with the difference. */
export function same(actual: unknown, expected: unknown): void {
  deepStrictEqual(plain(actual), plain(expected));
}

function plain(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** The StatusError that `run` throws; undefined if it throws none. Anything else that is thrown goes on. */
export function refusalOf(run: () => unknown): StatusError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

/** Code and message of the StatusError that `run` throws must be these. */
export function refuses(run: () => unknown, code: number, message: string): void {
  const error = refusalOf(run);
  same([error?.code, error?.message], [code, message]);
}

/** Equality where null, false, zero and what is empty count as absent members: what Go's `omitempty` may leave out. */
export function sameButEmpty(actual: unknown, expected: unknown): void {
  deepStrictEqual(significant(plain(actual)), significant(plain(expected)));
}

function significant(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(significant);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, significant(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isZero(member)));
}

const isZero = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
