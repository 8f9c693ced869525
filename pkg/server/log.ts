import { pino, type DestinationStream, type Logger } from 'pino';

/** Structured log; lines are JSON objects. Never give it headers, bodies or whole requests. */
export type { Logger };

export interface LogOptions {
  /** 0: what an operator must know; 2: a line for every request; 4: with the client in it. */
  readonly verbosity: number;
  /** Absent: standard error. */
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
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
}

const SECRET_PARAMETER = /^(.*(token|secret|password|key|assertion|authorization).*|code|state)$/i;

/** A query without it has none of those, however its names are escaped. */
const SUSPICIOUS = /token|secret|password|key|assertion|authorization|code|state|%|\+/i;

/** A path and query as the log shows them: without the values of parameters that carry credentials. */
export function loggableUrl(path: string, query: string): string {
  if (query === '') return path;
  if (!SUSPICIOUS.test(query)) return `${path}?${query}`;
  const parameters = query.split('&').map((parameter) => {
    const name = parameter.split('=', 1)[0] as string;
    return SECRET_PARAMETER.test(decodeLoosely(name)) ? `${name}=[redacted]` : parameter;
  });
  return `${path}?${parameters.join('&')}`;
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
