/** Requests of the console for the API: `/console/api/<path>` with a session is `<path>` without it. */
import type { Handler } from '../../server/httpexchange.js';
import { CONSOLE_API } from './paths.js';
import { sessionCredentials } from './sessioncookie.js';

/** A session may access the API and its description, and no other paths of this server. */
const SERVED = /^\/(api|apis|openapi|version)([/?]|$)/;

/**
 * Passes requests of the console to `handler` as API requests of a session; all others are of none, whatever their
 * cookies. Other paths below {@link CONSOLE_API} keep the prefix,
 * under which nothing is served.
 */
export function withConsoleApi(handler: Handler): Handler {
  return (exchange) => {
    const request = exchange.request;
    const { url = '/' } = request;
    if (!url.startsWith(`${CONSOLE_API}/`)) return handler(exchange);
    exchange.session = sessionCredentials(request, exchange.upgrade !== undefined);
    const path = url.slice(CONSOLE_API.length);
    if (SERVED.test(path)) request.url = path;
    exchange.response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    // A proxy such as nginx keeps the events of a watch until it has many.
    exchange.response.setHeader('X-Accel-Buffering', 'no');
    return handler(exchange);
  };
}
