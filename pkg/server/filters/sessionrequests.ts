/** Requests of the console for the API: `/console/api/<path>` with a session is `<path>` without it. */
import type { SessionCredentials } from '../../authentication/interface.js';
import type { Handler } from '../httpexchange.js';
import { CONSOLE_API } from '../routes/console/paths.js';
import { sessionCredentials } from '../routes/console/sessioncookie.js';

const marked = new WeakMap<object, SessionCredentials>();
/** A session is for the API and what describes it, and for nothing else that this server has. */
const SERVED = /^\/(api|apis|openapi|version)([/?]|$)/;

/** Of a request that came below {@link CONSOLE_API}; undefined of every other, whatever cookies it has. */
export const sessionOf = (request: object): SessionCredentials | undefined => marked.get(request);

/**
 * Lets `handler` answer requests of the console as those for the API that they are, marked as of a session. A path that is
 * not of the API keeps its prefix, at which nothing is served.
 */
export function withConsoleApi(handler: Handler): Handler {
  return (exchange) => {
    const request = exchange.request;
    const { url = '/' } = request;
    if (!url.startsWith(`${CONSOLE_API}/`)) return handler(exchange);
    marked.set(request, sessionCredentials(request, exchange.upgrade !== undefined));
    const path = url.slice(CONSOLE_API.length);
    if (SERVED.test(path)) request.url = path;
    exchange.response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    // A proxy such as nginx keeps the events of a watch until it has many.
    exchange.response.setHeader('X-Accel-Buffering', 'no');
    return handler(exchange);
  };
}
