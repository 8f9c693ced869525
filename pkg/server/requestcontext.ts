/** One request, from its arrival to the end of its response. The stages of `handler.ts` fill it in. */
import { randomUUID } from 'node:crypto';
import type { Status } from '../apimachinery/errors.js';
import type { User } from '../apimachinery/user.js';
import type { LiveView } from '../authorization/visibility.js';
import { ReadRevision, type NewestRevision } from '../cache/watch/consistent.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import type { Decoding } from '../registry/object/decode.js';
import type { Shown } from '../registry/visibilityfilter.js';
import type { RequestTrace } from '../tracing/interface.js';
import { Stages } from './stages.js';
import type { AuditRecord } from './filters/auditrecord.js';
import { servedUrl, type Exchange } from './httpexchange.js';
import { requestInfo, type Authorized, type RequestInfo, type ResourceRequest } from './requestinfo.js';
import type { OpenRequest } from './revalidation/openrequest.js';

/** The valid form of a request id from a client or front proxy: it is returned, logged and recorded unchanged. */
const AUDIT_ID = /^[A-Za-z0-9._:-]{1,64}$/;

export class RequestContext {
  readonly auditId: string;
  /** ms, from `performance.now()`. */
  readonly began = performance.now();
  /** The minimum revision of all reads for the request, by filters and by its verb. */
  readonly revision: ReadRevision;
  /** Texts of `Warning` headers, in order, without duplicates. */
  readonly warnings: string[];
  /** When it passed its stages. */
  readonly stages = new Stages();
  /** What its method and path ask for. */
  readonly asked: RequestInfo;
  /** The same; from authorization on with the namespace that the path may omit. */
  info: RequestInfo;
  /** The authenticated user; undefined: not known. */
  client: User | undefined = undefined;
  /** The user as whom it is made: the impersonated one, or the client. */
  user: User | undefined = undefined;
  /** Undefined if the request is not recorded. */
  audit: AuditRecord | undefined = undefined;
  /** The visibility filter of a list or watch; all: it cannot change. */
  view: Shown<LiveView> | undefined = undefined;
  /** The kind that it is for. */
  store: Decoding | undefined = undefined;
  /** By which it is authenticated and authorized again; undefined where no right can end. */
  open: OpenRequest | undefined = undefined;
  /** Undefined where requests are not traced. */
  trace: RequestTrace | undefined = undefined;
  /** Its events, once it is a watch. */
  watch: { revoke(error: Status): void; resume(): void } | undefined = undefined;
  /** Whether it was ended because its credential or right has ended. */
  revoked = false;
  /** Whether the client determines its duration, besides a watch. */
  longRunning = false;

  constructor(
    readonly exchange: Exchange,
    newest: NewestRevision,
  ) {
    const given = exchange.request.headers['audit-id'];
    this.auditId = typeof given === 'string' && AUDIT_ID.test(given) ? given : randomUUID();
    this.revision = new ReadRevision(newest, this.began);
    this.warnings = exchange.warnings ?? [];
    this.info = this.asked = requestInfo(exchange.request.method ?? '', servedUrl(exchange));
  }

  /** The name of the impersonated user; undefined without impersonation. */
  get impersonated(): string | undefined {
    return this.user === this.client ? undefined : this.user?.name;
  }
}

/** A request that its user may make. */
export interface AuthorizedRequest extends RequestContext {
  info: Authorized;
  user: User;
  view: Shown<LiveView>;
}

/** A request for a kind that is served, stored or only answered. */
export interface KindRequest extends AuthorizedRequest {
  info: Authorized<ResourceRequest>;
  store: Decoding;
}

/** A request for a kind whose objects are stored, by a method that it has. */
export interface StoredKindRequest extends KindRequest {
  store: ResourceStore;
}

/** The same request, authorized, as one for a kind. */
export function forKind<Store extends Decoding>(
  request: RequestContext,
  info: Authorized<ResourceRequest>,
  store: Store,
): KindRequest & { store: Store } {
  request.info = info;
  request.store = store;
  // Authorization has set the other members that it has more.
  return request as KindRequest & { store: Store };
}

/** More than the headers of an answer have room for (`pkg/apimachinery/warnings.ts`). */
const MAX_WARNINGS = 500;

/** Adds a warning once. */
export function warn({ warnings }: Pick<RequestContext, 'warnings'>, text: string): void {
  if (warnings.length < MAX_WARNINGS && !warnings.includes(text)) warnings.push(text);
}
