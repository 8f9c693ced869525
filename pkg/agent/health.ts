/** Health of the agent, on the port of requests and without authentication. */
import type { Handler } from '../server/httpexchange.js';
import { answerEarly } from '../server/listener/rejectearly.js';

export interface HealthState {
  /** Why the agent is not ready; undefined: it is. */
  notReady(): string | undefined;
}

const LIVE: readonly string[] = ['/healthz', '/livez'];
const READ: readonly string[] = ['GET', 'HEAD'];

/**
 * Answers `/healthz` and `/livez` while the process runs, `/readyz` according to `state`; `inner` handles
 * everything else.
 */
export function withHealth(inner: Handler, { notReady }: HealthState): Handler {
  return (exchange) => {
    const { url = '', method = '' } = exchange.request;
    const [path = ''] = url.split('?', 1);
    if (!READ.includes(method) || (!LIVE.includes(path) && path !== '/readyz')) return inner(exchange);
    const why = path === '/readyz' ? notReady() : undefined;
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
    answerEarly(exchange, why === undefined ? 200 : 503, headers, Buffer.from(why ?? 'ok'));
    return Promise.resolve();
  };
}
