import { encodeJson } from '../../apimachinery/encoding/json.js';
import { failure } from '../../apimachinery/errors.js';
import { answerEarly } from '../listener/rejectearly.js';
import { servedUrl, type Filter } from '../httpexchange.js';
import { splitUrl } from '../requestinfo.js';

const STILL_SERVED = /^\/(healthz|livez|readyz|metrics)(\/|$)/;

/**
 * While `shuttingDown`, answers requests that still come over open connections with 503, so that clients go to another
 * server; health and metrics go on.
 */
export function refusingWhileShuttingDown(shuttingDown: () => boolean): Filter {
  const { status, code } = failure('ServiceUnavailable', 'apiserver is shutting down');
  const body = Buffer.from(`${encodeJson(status)}\n`);
  return (exchange) => {
    if (!shuttingDown() || STILL_SERVED.test(splitUrl(servedUrl(exchange)).path)) return false;
    const headers = { 'Content-Type': 'application/json', 'Retry-After': '1' };
    answerEarly(exchange, code, headers, body);
    return true;
  };
}
