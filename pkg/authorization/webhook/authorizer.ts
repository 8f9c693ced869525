import { setTimeout as sleep } from 'node:timers/promises';
import type { User } from '../../authentication/interface.js';
import type { CacheEvent } from '../../cache/interface.js';
import { CacheUnavailable } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import type { Answer, Answers } from '../../hostclient/decisioncache.js';
import { answerCache } from '../../hostclient/decisioncache.js';
import type { HostClient } from '../../hostclient/interface.js';
import { reviewer } from '../../hostclient/review.js';
import type { ReviewCounts } from '../../hostclient/reviewcounts.js';
import { isIgnoredRole } from '../../management/access/managednames.js';
import type { Attributes, Authorizer, Decision } from '../interface.js';
import type { RbacAuthorizer } from '../rbac/authorizer.js';
import type { RbacCaches } from '../rbac/policy.js';
import type { HostDecision } from './decision.js';
import { decisionOf, isByProxyGrant, reviewUnavailable } from './decision.js';
import { askedAs, EVERYONE, isNarrowed, wideOf } from './questions.js';
import { reviewBudget } from './reviewbudget.js';
import { reviewSpec } from './spec.js';

export interface SubjectAccessParts {
  readonly host: Pick<HostClient, 'send'>;
  readonly counts: Pick<ReviewCounts, 'record'>;
  /** How long the host's answers count, in ms; 0: for those alone who wait for one together. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** The roles and bindings of the host. */
  readonly caches: RbacCaches;
  /** By these. */
  readonly rbac: Pick<RbacAuthorizer, 'authorize' | 'visible' | 'namespaces' | 'rulesFor'>;
  /** Whether changes of these come in; while they do not, answers are kept for a second at most. */
  readonly followed?: () => boolean;
  /** Told that the host could not be asked. */
  readonly failed: (error: unknown) => void;
  /** ms, monotonic. */
  readonly now?: () => number;
}

const REVIEW = {
  path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
};
const MAX_ANSWERS = 50_000;
/** Questions with more to them are not kept: callers choose the words. In characters. */
const MAX_KEY_CHARACTERS = 10_000;
/** How long the host may take until its own authorizer knows what its watches have told of already. */
const LAG_MS = 2_000;
const LAG_PAUSES_MS = [50, 100, 200, 400];
const SEEING: readonly string[] = ['list', 'watch'];

const REFUSED: Decision = { allowed: false, reason: '' };
/** Of answers that no change of roles would make forgotten. */
const UNFOLLOWED_MS = 1_000;

/**
 * The host decides (SubjectAccessReview). Its answers are kept for a moment, and forgotten when its roles or bindings
 * change. Of what is named it is asked first whether it allows that whatever the name, and by name only where its roles do.
 *
 * For our own kinds it is asked without the group `system:authenticated`, by which a server in front lets everybody ask this
 * one; what else is bound to that group counts as the caches of its roles have it. What a user sees of a kind is told from these:
 * everything takes `get` on all of it, as everybody may list and watch what shows each caller their own.
 */
export function subjectAccessAuthorizer(parts: SubjectAccessParts): Authorizer {
  const { rbac } = parts;
  const reviews = new SubjectAccessReviews(parts);
  return {
    authorize(user, attributes) {
      reviews.follow();
      const asked = askedAs(user, attributes);
      return then(reviews.decide(asked, attributes), (decision): Decision => {
        if (decision.allowed || decision.denied === true || asked === user) return decision;
        const everyones = whileLoaded(() => rbac.authorize(EVERYONE, attributes));
        return everyones?.allowed === true ? everyones : decision;
      });
    },
    visible: (user, attributes) =>
      rbac.visible(user, SEEING.includes(attributes.verb) ? { ...attributes, verb: 'get' } : attributes),
    namespaces: (user) => rbac.namespaces(user),
    // The host may decide by more than its roles.
    rulesFor: (user, namespace) => ({ ...rbac.rulesFor(user, namespace), incomplete: true }),
  };
}

/** What the host decides, and its answers that are kept. */
class SubjectAccessReviews {
  private readonly ask: ReturnType<typeof reviewer>;
  private readonly answers: Answers<HostDecision>;
  private readonly budget: ReturnType<typeof reviewBudget>;
  private readonly now: () => number;
  private readonly informers: readonly (() => void)[];
  /** When roles or bindings changed last. */
  private changed = -Infinity;

  constructor(private readonly parts: SubjectAccessParts) {
    const { host, counts, caches, now = () => performance.now() } = parts;
    this.now = now;
    this.ask = reviewer(host, REVIEW, counts);
    this.answers = answerCache<HostDecision>(MAX_ANSWERS, now);
    this.budget = reviewBudget(now);
    const forget = (): void => this.forget();
    // Rights on objects are judged before the host is asked, which decides by such a role only by name.
    const counting = (events: readonly CacheEvent[]): void => {
      if (events.some(({ entry }) => !isIgnoredRole(entry.name))) forget();
    };
    this.informers = Object.values(caches).map((cache) => onChanges(cache, counting, forget));
  }

  /** Forgets answers from now on when roles or bindings change, once their caches are loaded. */
  follow(): void {
    whileLoaded(() => this.informers.forEach((informer) => informer()));
  }

  /** What is allowed by less than the wide question is asked for as it is; what roles do not give by name, nobody has so. */
  decide(user: User, attributes: Attributes): HostDecision | Promise<HostDecision> {
    const wide = wideOf(attributes);
    if (wide === undefined) return this.askHost(user, attributes);
    return then(this.askHost(user, wide), (decision) => {
      const narrower =
        !decision.allowed && (isNarrowed(attributes) || this.expected(user, attributes) !== false);
      return narrower ? this.askHost(user, attributes) : decision;
    });
  }

  private askHost(user: User, attributes: Attributes): HostDecision | Promise<HostDecision> {
    const spec = reviewSpec(user, attributes);
    const key = JSON.stringify(spec);
    const fetch = async (): Promise<Answer<HostDecision>> => {
      const unlikely = this.expected(user, attributes) === false;
      if (unlikely && this.budget.isSpent(user.name)) return { value: REFUSED, keepMs: 0 };
      const answer = await this.review(spec, user, attributes);
      if (unlikely && !answer.value.allowed) this.budget.spend(user.name);
      return answer;
    };
    if (key.length >= MAX_KEY_CHARACTERS) return fetch().then(({ value }) => value);
    return this.answers.get(key, fetch);
  }

  private async review(spec: object, user: User, attributes: Attributes): Promise<Answer<HostDecision>> {
    const { rbac, failed } = this.parts;
    try {
      let decision = decisionOf(await this.ask(spec));
      for (const pause of LAG_PAUSES_MS) {
        if (decision.allowed || !this.isFresh() || this.expected(user, attributes) !== true) break;
        await sleep(pause);
        decision = decisionOf(await this.ask(spec));
      }
      // Whoever else has been bound to that role has no right by it; others of theirs may stand behind it.
      if (isByProxyGrant(decision)) decision = whileLoaded(() => rbac.authorize(user, attributes)) ?? REFUSED;
      const doubtful = this.isFresh() && this.expected(user, attributes) !== decision.allowed;
      return { value: decision, keepMs: doubtful ? 0 : this.ttlOf(decision) };
    } catch (error) {
      failed(error);
      throw reviewUnavailable(error);
    }
  }

  private ttlOf(decision: HostDecision): number {
    const { authorizedTtlMs, unauthorizedTtlMs, followed = () => true } = this.parts;
    const ttl = decision.allowed ? authorizedTtlMs : unauthorizedTtlMs;
    return followed() ? ttl : Math.min(ttl, UNFOLLOWED_MS);
  }

  /** What the host's roles and bindings say, where they are known. */
  private expected(user: User, attributes: Attributes): boolean | undefined {
    return whileLoaded(() => this.parts.rbac.authorize(user, attributes).allowed);
  }

  private isFresh(): boolean {
    return this.now() - this.changed < LAG_MS;
  }

  private forget(): void {
    this.changed = this.now();
    this.answers.clear();
  }
}

/** Without a promise where none is given: this is on the path of every request. */
function then<A, B>(given: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return given instanceof Promise ? given.then(next) : next(given);
}

/** Undefined while the caches are not loaded. */
function whileLoaded<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CacheUnavailable) return undefined;
    throw error;
  }
}
