/** Requests to a server: one connection for all of a command. */
import { fetchOver, type FetchLimits } from '../../../api/client/node.js';
import {
  exchange,
  retryAfterOf,
  type ClientOptions,
  type Request as ApiRequest,
} from '../../../api/client/transport.js';
import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import { Agent, type RequestOptions } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExitReason, Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';
import { missingRight } from './denied.js';
import { unreachable } from './unreachable.js';
import { parseExact } from '../../../api/exactjson.js';

const TIMEOUT_MS = 30_000;
const MAX_TRIES = 4;
/** A server that asks for a longer wait before the next try is not asked again. */
const MAX_WAIT_MS = 10_000;
const AGENT = new Agent({ keepAlive: true });

export interface Request extends Pick<ApiRequest, 'path' | 'accept' | 'body' | 'contentType'> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** How long the server may say nothing; absent: 30 seconds. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[];
  /** The server's clock, in milliseconds since the epoch; NaN: it does not say. */
  readonly date: number;
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
  if (code === 403) trace(`< ${said}`);
  throw refusal(code, said);
}

/** The server's answer to a request that it refuses. What somebody may not do is said in the words of the commands. */
export function refusal(code: number, said: string): Failure {
  const missing = code === 403 ? missingRight(said) : undefined;
  const { said: text = `the server answers ${code}: ${said}`, advice = adviceFor(code) } = missing ?? {};
  return new Failure(REASONS[code] ?? 'failed', text, { advice });
}

function adviceFor(code: number): string | undefined {
  if (code === 401) return 'log in again, or use another access key';
  if (code === 429 || code === 503) return 'try again later';
  return undefined;
}

/** The raw answer. Rejects with a Failure if there is no answer. */
export async function ask(connection: Connection, asked: Request, trace: Trace): Promise<Answer> {
  const { timeoutMs = TIMEOUT_MS } = asked;
  const transport = transportOf(connection, { agent: AGENT, timeout: timeoutMs });
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    trace(`> ${asked.method} ${transport.server}${asked.path}`);
    try {
      const answer = await exchange(transport, asked);
      const { status, headers } = answer;
      const text = await answer.text();
      trace(`< ${status} after ${Math.round(performance.now() - began)} ms`);
      const waitMs = status === 429 || status === 503 ? retryAfterOf(headers.get('retry-after')) : undefined;
      if (waitMs === undefined || waitMs > MAX_WAIT_MS || tries === MAX_TRIES) {
        const warnings = warningsOf(headers.get('warning') ?? '');
        return { code: status, text, warnings, date: Date.parse(headers.get('date') ?? '') };
      }
      await sleep(waitMs);
    } catch (error) {
      throw unreachable(connection, error);
    }
  }
}

/** How requests are sent with the caller's credentials: over the proxy, or else the `agent` of the options. */
export function transportOf(
  { server, token, proxy, ...tls }: Connection,
  options: Pick<RequestOptions, 'agent' | 'timeout'>,
  limits?: FetchLimits,
): ClientOptions {
  const headers = { 'user-agent': 'platform' };
  const fetch = fetchOver({ ...tls, ...options, headers, ...(proxy && { agent: proxy }) }, limits);
  return { server: server.origin + server.pathname.replace(/\/$/, ''), token, fetch };
}

/** `299 - "text"`, more of them separated by commas (RFC 9111 has retired the rest of the form). */
function warningsOf(header: string): string[] {
  const found = header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
