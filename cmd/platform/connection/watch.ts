/** A watch, as the server streams it: one JSON document in each line. */
import { ApiError } from '../../../api/client/apierror.js';
import { TooLarge, linesOf } from '../../../api/client/body.js';
import { MAX_EVENT_BYTES, eventIn, type SentEvent } from '../../../api/client/watch.js';
import { chunksOf } from '../../../pkg/apimachinery/chunks.js';
import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type ExitReason, Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';
import type { Trace } from './request.js';
import { unreachable } from './unreachable.js';

const MAX_REFUSAL_BYTES = 64 * 1024;
/** Until the server answers; and then, between two probes of a connection on which nothing comes. */
const TIMEOUT_MS = 30_000;

export interface WatchRequest {
  /** Below the server's URL. */
  readonly path: string;
  readonly accept: string;
  /** Told when the server has begun to answer. */
  readonly opened: () => void;
}

/** The stream broke off, or the server is busy: the same watch may be sent again. */
export class Interrupted extends Failure {}

const REASONS: Readonly<Record<number, ExitReason>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'notFound',
};

/**
 * Ends when the server ends it. Throws Interrupted, an ApiError for a version that is too old (410), or another Failure,
 * which is final.
 */
export async function* watchLines(
  connection: Connection,
  asked: WatchRequest,
  trace: Trace,
): AsyncGenerator<SentEvent> {
  const response = await begin(connection, asked, trace);
  asked.opened();
  try {
    yield* eventsOf(connection, response);
  } finally {
    response.destroy();
  }
}

async function begin(
  connection: Connection,
  { path, accept }: WatchRequest,
  trace: Trace,
): Promise<IncomingMessage> {
  const { server, token, proxy, ...tls } = connection;
  const headers = {
    accept,
    'user-agent': 'platform',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  trace(`> GET ${server.origin}${path}`);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = new URL(server.pathname.replace(/\/$/, '') + path, server);
    const sent = request(url, { ...tls, headers, agent: proxy ?? false, timeout: TIMEOUT_MS }, resolve);
    const late = (): void => void sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`));
    sent.once('timeout', late).once('response', () => sent.off('timeout', late).setTimeout(0));
    sent.once('socket', (socket) => socket.setKeepAlive(true, TIMEOUT_MS));
    sent.once('error', (error) => reject(new Interrupted('failed', unreachable(server, error).message)));
    sent.end();
  });
  trace(`< ${response.statusCode ?? 0}`);
  if (response.statusCode !== 200) throw await refusal(response);
  return response;
}

async function refusal(response: IncomingMessage): Promise<Error> {
  const code = response.statusCode ?? 0;
  const message = messageIn(await beginningOf(response));
  if (code === 410) return new ApiError(code, { code, message });
  const said = `the server answers ${code}: ${message}`;
  if (code === 429 || code >= 500) return new Interrupted('failed', said);
  return new Failure(REASONS[code] ?? 'failed', said);
}

async function* eventsOf({ server }: Connection, response: IncomingMessage): AsyncGenerator<SentEvent> {
  try {
    for await (const line of linesOf(response, MAX_EVENT_BYTES)) yield eventIn(parsed(line));
  } catch (error) {
    if (error instanceof TooLarge)
      throw new Failure('failed', `${server.origin} sends an event that is too large`);
    if (error instanceof RangeError) throw new Failure('failed', 'the server sends events that are none');
    const cause = error instanceof Error ? error : new Error(String(error));
    throw new Interrupted('failed', unreachable(server, cause).message);
  }
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of chunksOf(response)) {
      parts.push(part);
      size += part.length;
      if (size > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // What came of it is said.
  }
  return Buffer.concat(parts).toString();
}

function messageIn(text: string): string {
  return textIn(parsed(text), 'message') ?? text.slice(0, 200);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
