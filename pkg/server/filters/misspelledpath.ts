/** The base path as some samples of the specification have it, with two letters swapped. */
import { BASE_PATH } from '../requestinfo.js';
import { servedUrl, type Filter } from '../httpexchange.js';
import { warningHeaders } from '../../apimachinery/warnings.js';

const MISSPELLED = '/kuberentes/management';
const WARNING = `the path begins with ${MISSPELLED}: it is served as ${BASE_PATH}, which is its spelling`;

/** Serves the misspelled base path as the base path, with a warning. */
export const mendingMisspelledPaths: Filter = (exchange) => {
  const url = servedUrl(exchange);
  if (!url.startsWith(MISSPELLED) || !/^[/?]|^$/.test(url.slice(MISSPELLED.length))) return false;
  exchange.url = BASE_PATH + url.slice(MISSPELLED.length);
  exchange.warnings = [WARNING];
  // Answers with warnings of their own have it among these.
  exchange.response.setHeader('Warning', warningHeaders([WARNING]));
  return false;
};
