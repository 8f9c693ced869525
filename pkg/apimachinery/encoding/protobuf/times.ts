/** Times as messages of seconds and nanoseconds, and as RFC 3339 in JSON. */
import type { Writer } from './wire.js';

const SECONDS_TAG = 8;
const NANOS_TAG = 16;
/** 0001-01-01T00:00:00Z, which Go sends for no time; times end with the year 9999. */
const ZERO_SECONDS = -62_135_596_800;
const END_SECONDS = 253_402_300_800;

/** Writes the fields of `Time`, which has no fractions, or of `MicroTime`. `text`: RFC 3339. */
export function writeTime(writer: Writer, text: string, micro: boolean): void {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return;
  writer.uint32(SECONDS_TAG).int64(Math.floor(milliseconds / 1000));
  writer.uint32(NANOS_TAG).int32(micro ? microsecondsOf(text) * 1000 : 0);
}

function microsecondsOf(text: string): number {
  const digits = /\.(\d+)/.exec(text)?.[1] ?? '';
  return Number(digits.slice(0, 6).padEnd(6, '0'));
}

/** Formats a decoded time as RFC 3339; undefined for none. Throws RangeError outside the years 1 to 9999. */
export function timeText(seconds: number, nanos: number, micro: boolean): string | undefined {
  if (seconds === ZERO_SECONDS) return undefined;
  if (!(seconds > ZERO_SECONDS && seconds < END_SECONDS && nanos >= 0 && nanos < 1e9)) {
    throw new RangeError('time is out of range');
  }
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return micro ? `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${whole}Z`;
}
