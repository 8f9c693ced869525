import { badRequest } from '../apimachinery/errors.js';
import { parseDuration } from '../apimachinery/options/duration.js';
import { parseQuery } from '../apimachinery/options/query.js';
import type { RequestInfo } from './requestinfo.js';

/** `?timeout=` of everything but a watch must be a Go duration. Throws StatusError 400. */
export function checkTimeout(info: RequestInfo): void {
  if (info.kind === 'path' || info.verb === 'watch' || !info.query.includes('timeout=')) return;
  const text = parseQuery(info.query).get('timeout') ?? '';
  if (text === '') return;
  try {
    parseDuration(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : text;
    throw badRequest(`invalid timeout specified in the request URL - ${why}`);
  }
}
