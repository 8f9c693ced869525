import { pino, type DestinationStream, type Logger } from 'pino';

/** Structured log; lines are JSON objects. Never give it headers, bodies or whole requests. */
export type Log = Logger;

export interface LogOptions {
  /** 0: what an operator must know; 2: a line for every request; 4: details for finding faults. */
  readonly verbosity: number;
  /** Absent: standard error. */
  readonly destination?: DestinationStream;
}

/** Members that are blanked wherever they stand in a log line, should code log them by mistake. */
const SECRET_MEMBERS = ['authorization', 'Authorization', 'cookie', 'token', 'password', 'body', 'data'];

const REQUESTS_FROM = 2;
const DETAILS_FROM = 4;

export function createLog(options: LogOptions): Log {
  const paths = SECRET_MEMBERS.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]);
  return pino(
    {
      base: null,
      level: options.verbosity >= DETAILS_FROM ? 'debug' : 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[redacted]' },
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
}

/** What the log says of a request. */
export interface RequestLine {
  readonly auditId: string;
  readonly method: string;
  /** As requested; secret query values are blanked here. */
  readonly url: string;
  readonly user: string;
  readonly userAgent: string | undefined;
  readonly code: number;
  readonly seconds: number;
}

/** Writes the line of a request where the verbosity asks for it. */
export type LogRequest = (line: RequestLine) => void;

export function requestLogger(log: Log, verbosity: number): LogRequest {
  if (verbosity < REQUESTS_FROM) return () => undefined;
  return ({ seconds, url, ...rest }) => {
    log.info({ ...rest, url: loggableUrl(url), ms: Math.round(seconds * 1e6) / 1000 }, 'request');
  };
}

const SECRET_PARAMETER = /^(.*(token|secret|password|key|assertion|authorization).*|code|state)$/i;

/** The path and query of a request without the values of parameters that carry credentials. */
export function loggableUrl(url: string): string {
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const parameters = url.slice(mark + 1).split('&').map((parameter) => {
    const name = parameter.split('=', 1)[0] as string;
    return SECRET_PARAMETER.test(decodeLoosely(name)) ? `${name}=[redacted]` : parameter;
  });
  return `${url.slice(0, mark)}?${parameters.join('&')}`;
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
