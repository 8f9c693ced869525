/** Requests of the console for the API: `/console/api/<path>` with a session is `<path>` without it. */
import type { SessionCredentials } from '../../authentication/interface.js';
import type { Handler } from '../../server/httpexchange.js';
import { CONSOLE_API } from './paths.js';
import { sessionCredentials } from './sessioncookie.js';

const marked = new WeakMap<object, SessionCredentials>();
/** A session may access the API and its description, and no other paths of this server. */
const SERVED = /^\/(api|apis|openapi|version)([/?]|$)/;

/** The session of a request below {@link CONSOLE_API}; undefined for all others, whatever their cookies. */
export const sessionOf = (request: object): SessionCredentials | undefined => marked.get(request);

/**
 * Passes requests of the console to `handler` as API requests, marked as of a session. Other paths keep the prefix,
 * under which nothing is served.
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
