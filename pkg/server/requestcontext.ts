import { randomUUID } from 'node:crypto';
import { ReadRevision, type NewestRevision } from '../cache/watch/consistent.js';
import { spellingWarnings } from './filters/misspelledpath.js';
import type { Exchange } from './httpexchange.js';

/** One request on its way through the stages. */
export interface Call {
  readonly exchange: Exchange;
  readonly auditId: string;
  /** ms, from `performance.now()`. */
  readonly began: number;
  /** The minimum revision of all reads for the request, by filters and by its verb. */
  readonly revision: ReadRevision;
  /** Texts of `Warning` headers, in order, without duplicates. */
  readonly warnings: string[];
}

/** The valid form of a request id from a client or front proxy: it is returned, logged and recorded unchanged. */
const AUDIT_ID = /^[A-Za-z0-9._:-]{1,64}$/;

export function beginCall(exchange: Exchange, newest: NewestRevision): Call {
  const began = performance.now();
  const given = exchange.request.headers['audit-id'];
  return {
    exchange,
    auditId: typeof given === 'string' && AUDIT_ID.test(given) ? given : randomUUID(),
    began,
    revision: new ReadRevision(newest, began),
    warnings: spellingWarnings(exchange.request),
  };
}

/** More than the headers of an answer have room for (`pkg/apimachinery/warnings.ts`). */
const MAX_WARNINGS = 500;

/** Adds a warning once. */
export function warn({ warnings }: Call, text: string): void {
  if (warnings.length < MAX_WARNINGS && !warnings.includes(text)) warnings.push(text);
}
