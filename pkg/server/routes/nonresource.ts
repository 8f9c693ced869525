/** Handles non-resource requests. */
import { badRequest } from '../../apimachinery/errors.js';
import { parseQuery } from '../../apimachinery/options/query.js';
import type { ExpressDependencies } from './express.js';
import { servedUrl, type Handler } from '../httpexchange.js';
import { serveHealth, type HealthEndpoint, type ReportFailure } from './health.js';
import { splitUrl } from '../requestinfo.js';
import { NO_SNIFFING } from '../responsewriters/send.js';

export interface OtherDependencies extends ExpressDependencies {
  readonly reportFailure: ReportFailure;
}

/**
 * Handles health checks itself, so that the server is ready before Express is loaded. Passes other requests to the
 * Express application, which the first of them loads. Rejects as that does.
 */
export function createOther(dependencies: OtherDependencies): Handler {
  const { health, reportFailure } = dependencies;
  let application: Promise<Handler> | undefined;
  return async (exchange) => {
    const { path, query } = splitUrl(servedUrl(exchange));
    exchange.response.setHeader('Cache-Control', 'no-cache, private');
    exchange.response.setHeader(NO_SNIFFING.name, NO_SNIFFING.value);
    if (/%(?![0-9A-Fa-f]{2})/.test(path)) throw badRequest('the request path is not valid');
    const asked = healthOf(health, path);
    if (asked !== undefined) {
      return serveHealth(exchange, asked.endpoint, asked.rest, parseQuery(query), reportFailure);
    }
    application ??= import('./express.js').then(({ createApplication }) => createApplication(dependencies));
    return (await application)(exchange);
  };
}

/** `/readyz`, `/readyz/`, `/readyz/<check>`. */
function healthOf(
  endpoints: readonly HealthEndpoint[],
  path: string,
): { readonly endpoint: HealthEndpoint; readonly rest: string } | undefined {
  const [, name = '', ...rest] = path.split('/');
  const endpoint = endpoints.find((each) => each.name === name);
  return endpoint && { endpoint, rest: rest.join('/') };
}
