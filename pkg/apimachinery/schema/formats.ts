/** Formats of strings and numbers, with the texts that Go's decoders give where a value does not fit. */

const TIME = /^\d{4}-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether Go's `time.Parse(time.RFC3339, text)` takes it. */
export function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [month, day, hour, minute, second] = match.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(Number(text.slice(0, 4)), month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  );
}

/** RFC 3339 with exactly six decimals. */
export function isMicroTime(text: string): boolean {
  return isTime(text) && /:\d{2}\.\d{6}(Z|[+-])/.test(text);
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Whether Go's `base64.StdEncoding` takes it; line breaks are skipped, as there. */
export function isBase64(text: string): boolean {
  return BASE64.test(text) || (/[\r\n]/.test(text) && BASE64.test(text.replace(/[\r\n]/g, '')));
}

/** Index of the first byte that is not base64, as Go counts. */
export function base64Fault(text: string): number {
  const bad = /[^A-Za-z0-9+/=\r\n]/.exec(text);
  if (bad !== null) return Buffer.byteLength(text.slice(0, bad.index));
  const padding = text.search(/=[^=\r\n]|===/);
  return padding >= 0 ? padding : Math.floor(text.length / 4) * 4;
}

export const isInt32 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
/** JSON numbers beyond 2^53 are not exact here; those near the ends of int64 pass. */
export const isInt64 = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value <= 2 ** 63;
