import { isatty } from 'node:tty';
import { pino, type DestinationStream, type Logger } from 'pino';
import { plainLog } from './plainlog.js';

/** Structured log; lines are JSON objects. Never give it headers, bodies or whole requests. */
export type { Logger };

export interface LogOptions {
  /** 0: for operators; 2: a line for each request; 4: with the client in it. */
  readonly verbosity: number;
  /** Absent: standard error, as text where that is a terminal. */
  readonly destination?: DestinationStream;
}

/** Members that are blanked wherever they stand in a log line, should code log them by mistake. */
const SECRET_MEMBERS = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'body', 'data'];

/** From this verbosity on, every request has a line. */
export const REQUESTS_FROM = 2;
/** From this verbosity on, it tells the client's address, protocol and user agent. */
export const CLIENTS_FROM = 4;

export function createLog(options: LogOptions): Logger {
  const paths = SECRET_MEMBERS.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]);
  return pino(
    {
      base: null,
      level: 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
    },
    options.destination ?? standardError(),
  );
}

function standardError(): DestinationStream {
  const errors = pino.destination({ fd: 2, sync: true });
  return isatty(2) ? plainLog((line) => void errors.write(line)) : errors;
}

const SECRET = 'token|secret|passw|key|assertion|auth|credential|verifier|jwt|session|signature';
const SECRET_PARAMETER = new RegExp(`^(.*(${SECRET}).*|.*code|state|nonce|sig|pwd)$`, 'i');

/** A query that does not match has no such parameter, whatever its escapes. */
const SUSPICIOUS = new RegExp(`${SECRET}|code|state|nonce|sig|pwd|%|\\+`, 'i');

/** Longer URLs are cut in the log, in characters. */
const MAX_URL = 4096;

/**
 * A path and query as the log shows them: without the values of parameters that carry credentials, nor the name and
 * password of a URL that is sent whole.
 */
export function loggableUrl(path: string, query: string): string {
  const place = path.startsWith('/') ? path : path.replace(/^([^/?]*:)?\/\/[^/?]*@/, '$1//[redacted]@');
  if (query === '') return place;
  if (!SUSPICIOUS.test(query)) return `${place}?${query}`;
  const parameters = query.split('&').map((parameter) => {
    const name = parameter.split('=', 1)[0]!;
    return SECRET_PARAMETER.test(decodeLoosely(name)) ? `${name}=[redacted]` : parameter;
  });
  return `${place}?${parameters.join('&')}`;
}

/** As a member of a log line: each client chooses its length. */
export const briefly = (text: string): string =>
  text.length <= MAX_URL ? text : `${text.slice(0, MAX_URL)}...TRUNCATED`;

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
