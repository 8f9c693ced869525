/** Formats of numbers and times, as Go decodes them. */
import { parseTime } from './gotime.js';

/** Whether Go's `time.Parse(time.RFC3339, text)` accepts it. */
export const isTime = (text: string): boolean => 'text' in parseTime(text, 'seconds');
/** RFC 3339 with exactly six decimals. */
export const isMicroTime = (text: string): boolean => 'text' in parseTime(text, 'micro');

export const isUint8 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < 256;
export const isInt32 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
/** A `bigint` stands before the validator as a safe integer. */
export const isInt64 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
