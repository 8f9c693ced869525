import { randomUUID } from 'node:crypto';
import type { User } from '../authentication/interface.js';
import type { LiveView } from '../authorization/visibility/visibility.js';
import type { Shown } from '../registry/visibilityfilter.js';
import type { Authorized } from './filters/access.js';
import type { AuditRecord } from './filters/audit.js';
import type { Exchange } from './httpexchange.js';
import type { OpenRequest } from './revalidation/openrequest.js';

/** One request on its way through the stages. */
export interface Call {
  readonly exchange: Exchange;
  readonly auditId: string;
  /** ms, from `performance.now()`. */
  readonly began: number;
  /** Texts of `Warning` headers, in order, without duplicates. */
  readonly warnings: string[];
}

export interface AuthenticatedCall extends Call {
  readonly info: Authorized;
  readonly user: User;
  /** Absent where the request is not recorded. */
  readonly audit: Pick<AuditRecord, 'named' | 'annotated' | 'sent'> | undefined;
  /** What is shown of what is listed or watched; all: for good. */
  readonly view: Shown<LiveView>;
  /** Whether the caller could still make the request. */
  readonly open: OpenRequest | undefined;
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

/**
 * The call of one who may make it. On the path of every request objects are written out member by member: V8 compiles
 * that, where a spread goes through its runtime.
 */
export function authenticatedCall(
  { exchange, auditId, began, warnings }: Call,
  info: Authorized,
  user: User,
  { audit, view, open }: Pick<AuthenticatedCall, 'audit' | 'view' | 'open'>,
): AuthenticatedCall {
  return { exchange, auditId, began, warnings, info, user, audit, view, open };
}

/** More than the headers of an answer have room for (`pkg/apimachinery/warnings.ts`). */
const MAX_WARNINGS = 500;

/** Adds a warning once. */
export function warn({ warnings }: Call, text: string): void {
  if (warnings.length < MAX_WARNINGS && !warnings.includes(text)) warnings.push(text);
}
