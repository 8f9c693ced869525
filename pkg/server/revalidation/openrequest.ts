/** A request in flight, which is authenticated and authorized again while it lasts. When its key expires, it ends. */
import { NOWHERE, type Member } from '../../apimachinery/unorderedset.js';
import { StatusError as AnyStatusError, otherRights, type StatusError } from '../../apimachinery/errors.js';
import type {
  AuthenticatedCaller,
  Authentication,
  Credentials,
  User,
} from '../../authentication/interface.js';
import type { LiveView } from '../../authorization/visibility.js';
import type { Shown } from '../../registry/visibilityfilter.js';
import type { Exchange } from '../httpexchange.js';
import type { RequestInfo } from '../requestinfo.js';
import type { AccessRevision } from './accessrevision.js';
import { sameJson } from '../../registry/object/metadata.js';
import { onceKnown } from '../../apimachinery/eventloop/onceknown.js';

/** Whether it is the same user, regardless of current groups. */
const sameIdentity = (then: User, now: User): boolean =>
  then === now || (then.name === now.name && then.uid === now.uid);

/** Whether the user has at least the groups of before, and the same scope. */
function keepsRights(then: User, now: User): boolean {
  if (then === now) return true;
  if (then.scope !== now.scope && !sameJson(then.scope, now.scope)) return false;
  return then.groups === now.groups || isWithin(then.groups, now.groups);
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  if (some.length === all.length && some.every((group, at) => group === all[at])) return true;
  const set = new Set(all);
  return some.every((group) => set.has(group));
}

/** How a request was authorized. */
export interface Permitted {
  readonly client: AuthenticatedCaller;
  /** The impersonated user; the user of `client` without impersonation. */
  readonly caller: User;
  readonly info: RequestInfo;
  readonly view: Shown<LiveView>;
  /** Whether it is proxied to a connected cluster, which authorizes it: here only its token is checked. */
  readonly proxied?: true;
}

/** The stages of a request that are repeated, without metrics and audit. */
export interface RequestStages {
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>;
  /** The anonymous user, if the path allows it. */
  anonymous(path: string): User | undefined;
  /** The impersonated user; `user` itself without impersonation. Throws StatusError 403. */
  impersonate(user: User, info: RequestInfo, exchange: Exchange): User | Promise<User>;
  /**
   * The error if the request is no longer authorized, or if it may see less than it did. Undefined: authorized. Throws,
   * and rejects with, the error if that cannot be determined.
   */
  refusal(caller: User, permitted: Permitted): StatusError | undefined | Promise<StatusError | undefined>;
  /** The StatusError 401. */
  unauthorized(answer: Authentication): StatusError;
}

/** The result of a revalidation; `unknown`: an authenticator or authorizer is not available. */
export type Revalidation = 'valid' | 'ended' | 'unknown';

/** Interval at which rights are checked although nothing announced a change, in ms, plus up to a half. */
const RIGHTS_MS = 60_000;
/**
 * Time in which only the visibility filter decides about a change of rights, in ms: rights may end and begin again
 * with an object.
 */
const SETTLED_MS = 400;
/** How long a watch stays open, without events, while it cannot be revalidated, in ms. */
const UNKNOWN_MS = 4_000;
const FORBIDDEN = 403;
/** Gets to know what became of a request in flight. */
export interface RevalidationListener {
  /** Called once, with the error that the same request would get now. `credential`: authentication failed. */
  ended(error: StatusError, credential: boolean): void;
  /** Called after a successful revalidation that the request did not ask for itself. */
  valid(): void;
}

export class OpenRequest implements Member {
  place = NOWHERE;
  /** When it was last authenticated, by `performance.now()`. */
  asked = performance.now();
  private revision: number;
  private expires = Infinity;
  /** When its view first announced a change of rights that is not checked yet, by `performance.now()`. */
  private rightsChangedAt: number | undefined;
  private endedBy: StatusError | undefined;
  private unknownSince: number | undefined;
  private rightsCheckedAt = performance.now();
  private following: { cancel(): void } | undefined;
  private permitted: Permitted | undefined;

  constructor(
    private readonly access: AccessRevision,
    private readonly stages: RequestStages,
    readonly exchange: Exchange,
    private readonly listener: RevalidationListener,
  ) {
    this.revision = access.current();
  }

  /** The request is authorized; from here on it is revalidated. */
  permit(permitted: Permitted): void {
    this.permitted = permitted;
    this.expires = permitted.client.expires;
    if (permitted.info.verb !== 'watch') return;
    if (!('filter' in permitted.view)) return;
    this.following = permitted.view.filter.follow(() => {
      this.rightsChangedAt ??= performance.now();
    });
  }

  /**
   * Whether nothing has changed since it was last revalidated. Checked before anything is sent on a watch. Changes of
   * visibility are left to the view: the last right may have ended with the object itself.
   */
  isCurrent(): boolean {
    if (this.endedBy !== undefined) return false;
    return this.revision === this.access.current() && Date.now() < this.expires;
  }

  /**
   * Authenticates the request again and, if rights may have changed, authorizes it again. Before an event is sent,
   * changes of visibility are left to the view, which filters each event: the last one may be the object's deletion.
   */
  revalidate(before: 'event' | 'anything' = 'anything'): Revalidation | Promise<Revalidation> {
    const { permitted } = this;
    if (permitted === undefined) return 'valid';
    if (this.endedBy !== undefined) return 'ended';
    const revision = this.access.current();
    this.asked = performance.now();
    try {
      const answer = this.stages.authenticate({ ...permitted.client.credentials, again: true });
      const checkUser = (known: Authentication) =>
        this.checkUser(permitted, known, revision, before === 'event');
      if (!(answer instanceof Promise)) return checkUser(answer);
      return answer.then(checkUser).catch(() => this.unknown());
    } catch {
      return this.unknown();
    }
  }

  private checkUser(
    permitted: Permitted,
    answer: Authentication,
    revision: number,
    viewDecides: boolean,
  ): Revalidation | Promise<Revalidation> {
    const { client, info, view } = permitted;
    const anonymous = answer.outcome === 'none' ? this.stages.anonymous(info.path) : undefined;
    const user = answer.outcome === 'user' ? answer.user : anonymous;
    if (user === undefined) return this.end(this.stages.unauthorized(answer), true);
    if (!sameIdentity(client.user, user))
      return this.end(this.stages.unauthorized({ outcome: 'none' }), true);
    this.expires = (answer.outcome === 'user' ? answer.expires : undefined) ?? Infinity;
    const same = keepsRights(client.user, user);
    // A view is bound to the user and groups that it was created for.
    if (!same && 'filter' in view) return this.end(otherRights(), false);
    const rights = !same || this.mustCheckRights(permitted, revision, viewDecides);
    const acts = client.user !== permitted.caller && revision !== this.revision;
    if (!rights && !acts) return this.stillValid(revision);
    return this.checkRights(permitted, { user, rights }, revision);
  }

  /** Whether its view has announced a change of rights. */
  get rightsMayHaveChanged(): boolean {
    return this.rightsChangedAt !== undefined;
  }

  private mustCheckRights({ view }: Permitted, revision: number, viewDecides: boolean): boolean {
    const now = performance.now();
    if (!viewDecides && now - (this.rightsChangedAt ?? now) > SETTLED_MS) return true;
    if (now - this.rightsCheckedAt > RIGHTS_MS * (1 + Math.random() / 2)) return true;
    const told = 'filter' in view && this.following !== undefined;
    return !told && revision !== this.revision;
  }

  /** `rights`: whether to authorize the request, and not only the impersonation. */
  private checkRights(
    permitted: Permitted,
    { user, rights }: { readonly user: User; readonly rights: boolean },
    revision: number,
  ): Revalidation | Promise<Revalidation> {
    if (rights) {
      this.rightsChangedAt = undefined;
      this.rightsCheckedAt = performance.now();
    }
    const decided = (error: StatusError | undefined): Revalidation =>
      error === undefined ? this.stillValid(revision) : this.end(error, false);
    const failed = (error: unknown): Revalidation => {
      if (error instanceof AnyStatusError && error.code === FORBIDDEN) return this.end(error, false);
      this.rightsChangedAt = -Infinity;
      return this.unknown();
    };
    const decide = (acting: User): StatusError | undefined | Promise<StatusError | undefined> =>
      rights ? this.stages.refusal(acting, permitted) : undefined;
    try {
      const acting = this.stages.impersonate(user, permitted.info, this.exchange);
      const refusal = onceKnown(acting, decide);
      return refusal instanceof Promise ? refusal.then(decided).catch(failed) : decided(refusal);
    } catch (error) {
      return failed(error);
    }
  }

  private stillValid(revision: number): Revalidation {
    this.revision = revision;
    this.unknownSince = undefined;
    return 'valid';
  }

  /** Nothing is sent meanwhile. A watch that cannot be revalidated ends after some seconds. */
  private unknown(): Revalidation {
    this.revision = NaN;
    const now = performance.now();
    this.unknownSince ??= now;
    const long = now - this.unknownSince > UNKNOWN_MS && this.permitted?.info.verb === 'watch';
    return long ? this.end(otherRights(), false) : 'unknown';
  }

  private end(error: StatusError, credential: boolean): Revalidation {
    if (this.endedBy !== undefined) return 'ended';
    this.close();
    this.endedBy = error;
    this.listener.ended(error, credential);
    return 'ended';
  }

  /** It is valid, as a revalidation that it did not ask for has found. */
  found(): void {
    this.listener.valid();
  }

  /** The error with which it has ended. */
  get refusal(): StatusError | undefined {
    return this.endedBy;
  }

  /** The response is complete, or the client has disconnected. */
  close(): void {
    this.following?.cancel();
    this.following = undefined;
  }
}
