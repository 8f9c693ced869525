/** The base path as some samples of the specification have it, with two letters swapped. */
import { BASE_PATH } from '../requestinfo.js';
import type { Handler } from '../httpexchange.js';
import { warningHeaders } from '../../apimachinery/warnings.js';

const MISSPELLED = '/kuberentes/management';
const WARNING = `the path begins with ${MISSPELLED}: it is served as ${BASE_PATH}, which is its spelling`;

const marked = new WeakSet<object>();

/** The warning for a request whose path was mended. */
export const spellingWarnings = (request: object): string[] => (marked.has(request) ? [WARNING] : []);

/** Serves the misspelled base path as the base path, with a warning. */
export function withMisspelledPaths(handler: Handler): Handler {
  return (exchange) => {
    const { request, response } = exchange;
    const { url = '' } = request;
    if (url.startsWith(MISSPELLED) && /^[/?]|^$/.test(url.slice(MISSPELLED.length))) {
      marked.add(request);
      request.url = BASE_PATH + url.slice(MISSPELLED.length);
      // Answers with warnings of their own have it among these.
      response.setHeader('Warning', warningHeaders([WARNING]));
    }
    return handler(exchange);
  };
}
