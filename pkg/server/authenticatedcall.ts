/** A request that its caller may make, on its way to the function of its verb. */
import type { User } from '../apimachinery/user.js';
import type { LiveView } from '../authorization/visibility.js';
import type { ResourceStore } from '../registry/generic/resourcestore.js';
import type { Decoding } from '../registry/object/decode.js';
import type { Shown } from '../registry/visibilityfilter.js';
import type { AuditRecord } from './filters/audit.js';
import type { Call } from './requestcontext.js';
import type { Authorized, ResourceRequest } from './requestinfo.js';
import type { OpenRequest } from './revalidation/openrequest.js';

export interface AuthenticatedCall extends Call {
  readonly info: Authorized;
  readonly user: User;
  /** Absent if the request is not recorded. */
  readonly audit: Pick<AuditRecord, 'named' | 'annotated' | 'sent'> | undefined;
  /** The visibility filter of a list or watch; all: it cannot change. */
  readonly view: Shown<LiveView>;
  /** Whether the caller could still make the request. */
  readonly open: OpenRequest | undefined;
}

/**
 * The call of an authorized user. Objects on the path of every request are written member by member: V8 compiles that,
 * while a spread calls its runtime.
 */
export function authenticatedCall(
  { exchange, auditId, began, revision, warnings }: Call,
  info: Authorized,
  user: User,
  { audit, view, open }: Pick<AuthenticatedCall, 'audit' | 'view' | 'open'>,
): AuthenticatedCall {
  return { exchange, auditId, began, revision, warnings, info, user, audit, view, open };
}

/** A request for a kind that is served, kept or only answered. */
export interface KindCall extends AuthenticatedCall {
  readonly info: Authorized<ResourceRequest>;
  readonly store: Decoding;
}

/** A request for a kind whose objects are kept, by a method that it has. */
export interface ResourceCall extends KindCall {
  readonly store: ResourceStore;
}
