/** Requests to a server: one connection for all of a command. */
import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExitReason, Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';
import { unreachable } from './unreachable.js';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_TRIES = 4;
/** A server that asks for a longer wait before the next try is not asked again. */
const MAX_WAIT_MS = 10_000;
const AGENT = new Agent({ keepAlive: true });

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the server's URL. */
  readonly path: string;
  readonly accept?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; absent: `application/json`. */
  readonly contentType?: string;
  /** How long the server may say nothing; absent: 30 seconds. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[];
  /** The server's clock, in milliseconds since the epoch. */
  readonly date: number | undefined;
}

/** Told of each request and answer, without credentials and bodies. */
export type Trace = (line: string) => void;

const REASONS: Readonly<Record<number, ExitReason>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
};

/**
 * The JSON of an answer. Rejects with a Failure: the message of the server's Status where it refuses, else why it cannot
 * be reached. A server that asks to try again later (429, 503 with Retry-After) is asked again, three times.
 */
export async function askJson(
  connection: Connection,
  asked: Request,
  trace: Trace,
  warn: Trace,
): Promise<unknown> {
  const { code, text, warnings } = await ask(connection, asked, trace);
  for (const warning of warnings) warn(`Warning: ${warning}`);
  const body = parsed(text);
  if (code >= 200 && code < 300) {
    if (body === undefined)
      throw new Failure('failed', `${connection.server.href} does not answer ${asked.path} with JSON`);
    return body;
  }
  const said = textIn(body, 'message') ?? text.slice(0, 200);
  throw new Failure(REASONS[code] ?? 'failed', `the server answers ${code}: ${said}${adviceFor(code)}`);
}

function adviceFor(code: number): string {
  if (code === 401) return ' (log in again, or use another access key)';
  if (code === 429 || code === 503) return ' (try again later)';
  return '';
}

/** The raw answer. Rejects with a Failure if there is no answer. */
export async function ask(connection: Connection, asked: Request, trace: Trace): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    trace(`> ${asked.method} ${connection.server.origin}${pathOf(connection, asked)}`);
    const { retryAfterMs, ...answer } = await send(connection, asked);
    trace(`< ${answer.code} after ${Math.round(performance.now() - began)} ms`);
    const busy = answer.code === 429 || answer.code === 503;
    if (!busy || retryAfterMs === undefined || retryAfterMs > MAX_WAIT_MS || tries === MAX_TRIES)
      return answer;
    await sleep(retryAfterMs);
  }
}

const pathOf = ({ server }: Connection, { path }: Request): string =>
  server.pathname.replace(/\/$/, '') + path;

function send(
  connection: Connection,
  asked: Request,
): Promise<Answer & { retryAfterMs: number | undefined }> {
  const { server, token, proxy, ...tls } = connection;
  const { method, accept = 'application/json', contentType = 'application/json' } = asked;
  const timeout = asked.timeoutMs ?? TIMEOUT_MS;
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const headers = {
    accept,
    'user-agent': 'platform',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(unreachable(server, error));
    const options = { ...tls, method, headers, agent: proxy ?? AGENT, timeout };
    const sent = request(new URL(pathOf(connection, asked), server), options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) sent.destroy(new Error('its answer is too large'));
        chunks.push(chunk);
      });
      response.once('error', fail);
      response.once('end', () => {
        resolve({
          code: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          date: dateOf(response.headers.date),
          warnings: warningsOf(response.headers.warning),
          retryAfterMs: waitOf(response.headers['retry-after']),
        });
      });
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${timeout / 1000} s`)));
    sent.once('error', fail);
    sent.end(body);
  });
}

/** `299 - "text"`, more of them separated by commas (RFC 9111 has retired the rest of the form). */
function warningsOf(header: string | undefined): string[] {
  const found = (header ?? '').matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

function dateOf(header: string | undefined): number | undefined {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function waitOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
