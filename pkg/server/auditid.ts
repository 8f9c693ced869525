import { randomUUID } from 'node:crypto';
import type { Exchange } from './exchange.js';

const HEADER = 'Audit-Id';
/** Longer identifiers of clients are replaced, so that logs stay readable. */
const MAX_LENGTH = 64;

/**
 * Sets the `Audit-Id` of the answer, the client's own where it sent one, and returns it
 * (`k8s.io/apiserver/pkg/endpoints/filters.WithAuditInit`).
 */
export function setAuditId({ request, response }: Exchange): string {
  const sent = request.headers['audit-id'];
  const id = typeof sent === 'string' && usable(sent) ? sent : randomUUID();
  response.setHeader(HEADER, id);
  return id;
}

function usable(id: string): boolean {
  return id.length > 0 && id.length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(id);
}
