/** Requests of the console for the API: `/console/api/<path>` with a session is `<path>` without it. */
import { servedUrl, type Filter } from '../../server/httpexchange.js';
import { CONSOLE_API } from './paths.js';
import { sessionCredentials } from './sessioncookie.js';

/** A session may access the API and its description, and no other paths of this server. */
const SERVED = /^\/(api|apis|openapi|version)([/?]|$)/;

/**
 * Makes requests below {@link CONSOLE_API} API requests of a session; all others are of none, whatever their cookies.
 * What a session may not access keeps the prefix, under which nothing is served.
 */
export const markingSessions: Filter = (exchange) => {
  const url = servedUrl(exchange);
  if (!url.startsWith(`${CONSOLE_API}/`)) return false;
  const { request, response } = exchange;
  exchange.session = sessionCredentials(request, exchange.upgrade !== undefined);
  const path = url.slice(CONSOLE_API.length);
  if (SERVED.test(path)) exchange.url = path;
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  // A proxy such as nginx keeps the events of a watch until it has many.
  response.setHeader('X-Accel-Buffering', 'no');
  return false;
};
