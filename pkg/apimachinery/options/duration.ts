import { badRequest } from '../errors.js';
import { quoteGo } from '../quote.js';

const NANOSECONDS_OF_UNIT: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const MAX = 2n ** 63n;
const PART = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
const LONGEST = 256;

/**
 * Parses a duration such as `1m30.5s` to nanoseconds, like Go's `time.ParseDuration` for the `timeout` parameter.
 * Throws 400 with Go's message.
 */
export function parseDuration(text: string): bigint {
  const refuse = (): Error => badRequest(`time: invalid duration ${quoteGo(text)}`);
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0n;
  if (unsigned === '' || text.length > LONGEST) throw refuse();
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < unsigned.length) {
    const [, whole = '', fraction = '', unit = ''] = PART.exec(unsigned) ?? [];
    if (whole === '' && fraction === '') throw refuse();
    if (unit === '') throw badRequest(`time: missing unit in duration ${quoteGo(text)}`);
    const scale = NANOSECONDS_OF_UNIT.get(unit);
    if (scale === undefined) {
      throw badRequest(`time: unknown unit ${quoteGo(unit)} in duration ${quoteGo(text)}`);
    }
    total += BigInt(whole) * scale + (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    if (total > MAX) throw refuse();
  }
  if (text.startsWith('-')) return -total;
  if (total === MAX) throw refuse();
  return total;
}
