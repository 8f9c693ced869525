/** A watch, as the server streams it: one JSON document in each line. */
import { ApiError, apiErrorOf } from '../../../api/client/apierror.js';
import { TooLarge } from '../../../api/client/body.js';
import type { OnRequest } from '../../../api/client/node.js';
import { exchange, type ClientOptions, type FetchAnswer } from '../../../api/client/transport.js';
import { sentEventsOf, type SentEvent } from '../../../api/client/watch.js';
import { Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';
import { refusal, transportOf, type Trace } from './request.js';
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

/**
 * Ends when the server ends it. Throws Interrupted, an ApiError for a version that is too old (410), or another Failure,
 * which is final.
 */
export async function* watchLines(
  connection: Connection,
  { path, accept, opened }: WatchRequest,
  trace: Trace,
): AsyncGenerator<SentEvent> {
  const transport = transportFor(connection);
  trace(`> GET ${transport.server}${path}`);
  const answer = await exchange(transport, { method: 'GET', path, accept }).catch((error: unknown) => {
    throw interrupted(connection, error);
  });
  trace(`< ${answer.status}`);
  if (answer.status !== 200) throw await errorOf(answer, trace);
  opened();
  yield* eventsOf(connection, answer);
}

/** A dead connection is found by its probes, as a watch may be silent. */
function transportFor(connection: Connection): ClientOptions {
  const onRequest: OnRequest = (sent) => {
    sent.once('response', () => sent.setTimeout(0));
    sent.once('socket', (socket) => socket.setKeepAlive(true, TIMEOUT_MS));
  };
  const limits = { maxBytes: MAX_REFUSAL_BYTES, onRequest };
  return transportOf(connection, { agent: false, timeout: TIMEOUT_MS }, limits);
}

const interrupted = (connection: Connection, error: unknown): Interrupted =>
  new Interrupted('failed', unreachable(connection, error).message);

async function errorOf(answer: FetchAnswer, trace: Trace): Promise<Error> {
  const code = answer.status;
  const { message } = apiErrorOf(code, await answer.text().catch(() => ''));
  if (code === 410) return new ApiError(code, { code, message });
  if (code === 403) trace(`< ${message}`);
  const refused = refusal(code, message);
  return code === 429 || code >= 500 ? new Interrupted('failed', refused.message) : refused;
}

async function* eventsOf(connection: Connection, { body }: FetchAnswer): AsyncGenerator<SentEvent> {
  try {
    if (body !== null) yield* sentEventsOf(body);
  } catch (error) {
    if (error instanceof TooLarge)
      throw new Failure('failed', `${connection.server.origin} sends an event that is too large`);
    if (error instanceof RangeError || error instanceof SyntaxError)
      throw new Failure('failed', 'the server sends events that are none');
    throw interrupted(connection, error);
  }
}
