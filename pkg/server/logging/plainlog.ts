/** The log as a person at a terminal reads it: a line of text for each line of JSON. */
import type { DestinationStream } from 'pino';
import { isObject } from '../../apimachinery/encoding/members.js';

const LEVEL_WIDTH = 5;
/** Text that stands for itself: nothing in it moves a cursor, and it is one word. */
const WORD = /^[!#-<>-~]+$/;

/** `write` gets whole lines. */
export const plainLog = (write: (text: string) => void): DestinationStream => ({
  write: (line) => write(plainLine(line)),
});

/** `12:04:05 INFO  ready url=https://127.0.0.1:6443`; other lines stay unchanged. */
export function plainLine(line: string): string {
  const members = parsed(line);
  if (members === undefined) return line;
  const { level, time, msg, ...others } = members;
  const clock =
    typeof time === 'string' ? time.slice('2026-01-01T'.length, '2026-01-01T00:00:00'.length) : '';
  const words = Object.entries(others).map(([name, value]) => `${name}=${word(value)}`);
  const message = typeof msg === 'string' ? visible(JSON.stringify(msg).slice(1, -1)) : '';
  const head = `${clock} ${String(level).toUpperCase().padEnd(LEVEL_WIDTH)} ${message}`;
  return `${[head, ...words].join(' ')}\n`;
}

const word = (value: unknown): string =>
  typeof value === 'string' && WORD.test(value) ? value : visible(JSON.stringify(value));

/** JSON lets C1 controls and marks of direction stand between quotes. */
const visible = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
