import { randomUUID } from 'node:crypto';
import type { Exchange } from './httpexchange.js';

/** One request on its way through the stages. */
export interface Call {
  readonly exchange: Exchange;
  readonly auditId: string;
  /** ms, from `performance.now()`. */
  readonly began: number;
  /** Texts of `Warning` headers, in order, without duplicates. */
  readonly warnings: string[];
}

/** What a client, or an API server in front, may call its request: it is answered, logged and recorded as it is. */
const AUDIT_ID = /^[A-Za-z0-9._:-]{1,64}$/;

export function beginCall(exchange: Exchange): Call {
  const given = exchange.request.headers['audit-id'];
  return {
    exchange,
    auditId: typeof given === 'string' && AUDIT_ID.test(given) ? given : randomUUID(),
    began: performance.now(),
    warnings: [],
  };
}

/** More than the headers of an answer have room for (`pkg/apimachinery/warnings.ts`). */
const MAX_WARNINGS = 500;

/** Adds a warning once. */
export function warn({ warnings }: Call, text: string): void {
  if (warnings.length < MAX_WARNINGS && !warnings.includes(text)) warnings.push(text);
}
