/** A request with its whole response, retried if that is safe. */
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../api/client/body.js';
import { retryAfterOf } from '../../api/client/transport.js';
import type { HostConnections, Pools } from './connections.js';
import { begin, unreachable, type Exchange } from './exchange.js';
import { HostUnreachable, type HostAnswer, type HostRequest } from './interface.js';
import { jsonIn } from './jsonin.js';

const REQUEST_TIMEOUT_MS = 10_000;
/** How often a connection is tried; Retry-After of a response is followed until the timeout. */
const ATTEMPTS = 3;
const PAUSE_MS = 50;
/** The maximum bytes of a response. */
export const MAX_BYTES = 64 << 20;

/** As `send` of HostClient; `closed` also aborts it. */
export async function sendRequest(
  connections: HostConnections<Pools>,
  request: HostRequest,
  closed: AbortSignal,
): Promise<HostAnswer> {
  const { timeoutMs = REQUEST_TIMEOUT_MS, repeatable = request.method === 'GET' } = request;
  // AbortSignal takes whole milliseconds; callers may compute fractions.
  const late = AbortSignal.timeout(Math.ceil(timeoutMs));
  const given = request.signal === undefined ? [] : [request.signal];
  const signal = AbortSignal.any([late, closed, ...given]);
  const ended = (): string => (late.aborted ? 'it did not answer in time' : 'the request was ended');
  const exchange: Exchange = { ...request, purpose: 'requests', signal, ended };
  const until = performance.now() + timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    let pause = PAUSE_MS * 2 ** (attempt - 1);
    try {
      const answer = await exchangeOnce(connections, exchange);
      if (answer.status === 401) connections.refused();
      const again = answer.status === 429 || (repeatable && answer.status >= 500);
      if (!again || answer.retryAfterMs === undefined) return answer;
      pause = answer.retryAfterMs;
      if (performance.now() + pause > until) return answer;
    } catch (error) {
      const harmless = error instanceof HostUnreachable && (repeatable || !error.sent);
      if (!harmless || signal.aborted || attempt >= ATTEMPTS) throw error;
    }
    await sleep(pause, undefined, { signal }).catch((error: unknown) => {
      throw unreachable(error, exchange, false);
    });
  }
}

async function exchangeOnce(connections: HostConnections<Pools>, exchange: Exchange): Promise<HostAnswer> {
  const response = await begin(connections, exchange);
  try {
    const text = await textOf(response, MAX_BYTES);
    const { statusCode: status = 0, headers } = response;
    const date = Date.parse(headers.date ?? '');
    return { status, body: jsonIn(text), retryAfterMs: retryAfterOf(headers['retry-after']), date };
  } catch (error) {
    throw unreachable(error, exchange, true);
  }
}
