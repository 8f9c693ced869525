/** A request under way, and whether its caller could still make it. */
import { NOWHERE } from '../../apimachinery/unorderedset.js';
import type { Member } from '../../apimachinery/unorderedset.js';
import type { StatusError } from '../../apimachinery/errors.js';
import { StatusError as AnyStatusError, expired } from '../../apimachinery/errors.js';
import type { Authentication, Credentials, User } from '../../authentication/interface.js';
import type { LiveView } from '../../authorization/visibility/visibility.js';
import type { Shown } from '../../registry/visibilityfilter.js';
import type { AuthenticatedCaller } from '../filters/access.js';
import type { Exchange } from '../httpexchange.js';
import type { RequestInfo } from '../requestinfo.js';
import type { AccessRevision } from './accessrevision.js';
import { sameCaller, stillClient } from './samecaller.js';

/** What a request was allowed as. */
export interface Permitted {
  readonly client: AuthenticatedCaller;
  /** Who it acts as; as `client` where it does not ask to be another. */
  readonly caller: User;
  readonly info: RequestInfo;
  readonly view: Shown<LiveView>;
  /** Whether it is passed on to a connected cluster, which judges what may be done there: here a token for it is all. */
  readonly passedOn?: true;
}

/** How the stages of a request are asked again. Nothing is counted or recorded of it. */
export interface AskAgain {
  authenticate(credentials: Credentials): Authentication | Promise<Authentication>;
  /** What the client may do without credentials for the path. */
  anonymous(path: string): User | undefined;
  /** `user` itself where the request does not ask to be another. Throws StatusError 403. */
  impersonate(user: User, exchange: Exchange): User | Promise<User>;
  /**
   * Undefined: allowed, and as before it is shown either everything or what a view shows. Throws, and rejects with, what
   * says that it cannot be found out.
   */
  refusal(caller: User, permitted: Permitted): StatusError | undefined | Promise<StatusError | undefined>;
  /** Throws StatusError 401, as the first time. */
  unauthorized(answer: Authentication): StatusError;
}

/** What became of asking again. */
export type Standing = 'holds' | 'ended' | 'unknown';

/** Rights that nothing told of are asked again after so long, in ms, and up to half as much more. */
const RIGHTS_MS = 60_000;
/** What a view told of is judged by itself first, in ms: what goes and comes again with an object. */
const SETTLED_MS = 400;
/** So long a watch may go on, without events, while it cannot be found out whether it still may, in ms. */
const UNKNOWN_MS = 4_000;
const FORBIDDEN = 403;
const MOVED_ON = 'The resourceVersion is too old: what you may see has changed since.';

export class OpenRequest implements Member {
  place = NOWHERE;
  /** When it was asked last who makes it, by `performance.now()`. */
  asked = performance.now();
  /** Told once, of the refusal that the same request would get now. */
  onEnd: (error: StatusError, credential: boolean) => void = () => undefined;
  /** Told when it was asked again, unasked by its own answer, and holds. */
  onHolds: () => void = () => undefined;
  private revision: number;
  private expires = Infinity;
  /** When its view told last that it may show something else, by `performance.now()`. */
  private doubtedAt: number | undefined;
  private endedBy: StatusError | undefined;
  private unknownSince: number | undefined;
  private rightsAsked = performance.now();
  private following: { cancel(): void } | undefined;
  private permitted: Permitted | undefined;

  constructor(
    private readonly access: AccessRevision,
    private readonly again: AskAgain,
    readonly exchange: Exchange,
  ) {
    this.revision = access.current();
  }

  /** From here on it is asked again. */
  permit(permitted: Permitted): void {
    this.permitted = permitted;
    this.expires = permitted.client.expires;
    if (permitted.info.verb !== 'watch') return;
    if (!('filter' in permitted.view)) return;
    this.following = permitted.view.filter.follow(() => {
      this.doubtedAt ??= performance.now();
    });
  }

  /**
   * Whether nothing has changed that it rests on. Asked before anything is sent on a watch. What a view shows meanwhile
   * is for the view to judge: the last of the rights to see it may have gone with an object.
   */
  isCurrent(): boolean {
    if (this.endedBy !== undefined) return false;
    return this.revision === this.access.current() && Date.now() < this.expires;
  }

  /**
   * Asks anew: whose the credential is, then, where that may have changed, what they may do. Before an event is sent,
   * rights that a view doubts are left to the view, which judges each event: the last one may be the object's end.
   */
  recheck(before: 'event' | 'anything' = 'anything'): Standing | Promise<Standing> {
    const { permitted } = this;
    if (permitted === undefined) return 'holds';
    if (this.endedBy !== undefined) return 'ended';
    const revision = this.access.current();
    this.asked = performance.now();
    try {
      const answer = this.again.authenticate({ ...permitted.client.credentials, again: true });
      const judge = (known: Authentication) => this.judge(permitted, known, revision, before === 'event');
      if (!(answer instanceof Promise)) return judge(answer);
      return answer.then(judge).catch(() => this.unknown());
    } catch {
      return this.unknown();
    }
  }

  private judge(
    permitted: Permitted,
    answer: Authentication,
    revision: number,
    viewJudges: boolean,
  ): Standing | Promise<Standing> {
    const { client, info, view } = permitted;
    const anonymous = answer.outcome === 'none' ? this.again.anonymous(info.path) : undefined;
    const user = answer.outcome === 'user' ? answer.user : anonymous;
    if (user === undefined) return this.end(this.again.unauthorized(answer), true);
    if (!stillClient(client.user, user)) return this.end(this.again.unauthorized({ outcome: 'none' }), true);
    this.expires = (answer.outcome === 'user' ? answer.expires : undefined) ?? Infinity;
    const same = sameCaller(client.user, user);
    // What a view shows is bound to who it was made for.
    if (!same && 'filter' in view) return this.end(expired(MOVED_ON), false);
    const rights = !same || this.asksForRights(permitted, revision, viewJudges);
    const acts = client.user !== permitted.caller && revision !== this.revision;
    if (!rights && !acts) return this.hold(revision);
    return this.judgeRights(permitted, { user, rights }, revision);
  }

  /** Whether its view has told that rights changed. */
  get isDoubted(): boolean {
    return this.doubtedAt !== undefined;
  }

  private asksForRights({ view }: Permitted, revision: number, viewJudges: boolean): boolean {
    const now = performance.now();
    if (!viewJudges && now - (this.doubtedAt ?? now) > SETTLED_MS) return true;
    if (now - this.rightsAsked > RIGHTS_MS * (1 + Math.random() / 2)) return true;
    const told = 'filter' in view && this.following !== undefined;
    return !told && revision !== this.revision;
  }

  /** `rights`: whether more is asked than whether the user may act as the caller. */
  private judgeRights(
    permitted: Permitted,
    { user, rights }: { readonly user: User; readonly rights: boolean },
    revision: number,
  ): Standing | Promise<Standing> {
    if (rights) {
      this.doubtedAt = undefined;
      this.rightsAsked = performance.now();
    }
    const told = (error: StatusError | undefined): Standing =>
      error === undefined ? this.hold(revision) : this.end(error, false);
    const failed = (error: unknown): Standing => {
      if (error instanceof AnyStatusError && error.code === FORBIDDEN) return this.end(error, false);
      this.doubtedAt = -Infinity;
      return this.unknown();
    };
    const decide = (acting: User): StatusError | undefined | Promise<StatusError | undefined> =>
      rights ? this.again.refusal(acting, permitted) : undefined;
    try {
      const acting = this.again.impersonate(user, this.exchange);
      const refusal = acting instanceof Promise ? acting.then(decide) : decide(acting);
      return refusal instanceof Promise ? refusal.then(told).catch(failed) : told(refusal);
    } catch (error) {
      return failed(error);
    }
  }

  private hold(revision: number): Standing {
    this.revision = revision;
    this.unknownSince = undefined;
    return 'holds';
  }

  /** Nothing goes out meanwhile; a caller whom nobody vouches for any more is not served for long. */
  private unknown(): Standing {
    this.revision = NaN;
    const now = performance.now();
    this.unknownSince ??= now;
    const long = now - this.unknownSince > UNKNOWN_MS && this.permitted?.info.verb === 'watch';
    return long ? this.end(expired(MOVED_ON), false) : 'unknown';
  }

  private end(error: StatusError, credential: boolean): Standing {
    if (this.endedBy !== undefined) return 'ended';
    this.close();
    this.endedBy = error;
    this.onEnd(error, credential);
    return 'ended';
  }

  /** Why it has ended. */
  get refusal(): StatusError | undefined {
    return this.endedBy;
  }

  /** Its answer is complete, or its client gone. */
  close(): void {
    this.following?.cancel();
    this.following = undefined;
  }
}
