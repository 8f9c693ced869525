import { setTimeout as sleep } from 'node:timers/promises';
import type { User } from '../../authentication/interface.js';
import { CacheUnavailable, type CacheEvent } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { decisionCache, type FetchedDecision, type DecisionCache } from '../../hostclient/decisioncache.js';
import type { HostClient } from '../../hostclient/interface.js';
import { reviewer } from '../../hostclient/review.js';
import type { ReviewCounts } from '../../hostclient/reviewcounts.js';
import type { Attributes, Authorizer, Decision } from '../interface.js';
import type { RbacAuthorizer } from '../rbac/authorizer.js';
import { allOf, type RbacCaches } from '../rbac/caches.js';
import { decisionOf, namesRole, reviewUnavailable, type HostDecision } from './decision.js';
import { askedAs, EVERYONE, isNarrowed, wideOf } from './questions.js';
import { reviewBudget } from './reviewbudget.js';
import { reviewSpec } from './spec.js';
import { onceKnown } from '../../apimachinery/eventloop/onceknown.js';

export interface SubjectAccessParts {
  readonly host: Pick<HostClient, 'send'>;
  readonly counts: Pick<ReviewCounts, 'record'>;
  /** How long decisions of the host are cached, in ms; 0: only shared by concurrent requests. */
  readonly cacheTtlMs: number;
  /** The roles and bindings of the host. */
  readonly caches: RbacCaches;
  /** The group whose kinds the host lets everybody request, by a ClusterRole that grants nothing here. */
  readonly forwarded: { readonly group: string; readonly role: string };
  /** Authorizes by the cached roles. */
  readonly rbac: Pick<RbacAuthorizer, 'authorize' | 'visible' | 'namespaces' | 'rulesFor'>;
  /** Whether changes of roles arrive. While they do not, decisions are cached for a second at most. */
  readonly followed?: () => boolean;
  /** Called if the review failed. */
  readonly failed: (error: unknown) => void;
  /** ms, monotonic. */
  readonly now?: () => number;
}

const REVIEW = {
  path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
};
const MAX_CACHED_DECISIONS = 50_000;
/** Longer attributes are not cached, as callers choose their text. In characters. */
const MAX_KEY_CHARACTERS = 10_000;
/** How long the host's own authorizer may lag behind its watches, in ms. */
const LAG_MS = 2_000;
const LAG_PAUSES_MS = [50, 100, 200, 400];
const SEEING: readonly string[] = ['list', 'watch'];

const REFUSED: Decision = { allowed: false, reason: '' };
/** For decisions that no change of roles would drop. */
const UNFOLLOWED_MS = 1_000;

/**
 * The host decides by SubjectAccessReview. Decisions are cached for a short time, and dropped when roles or bindings
 * change. The first review leaves out the name of the object; a second one has it if the roles allow it by name only.
 *
 * Reviews of forwarded kinds leave out the group `system:authenticated`, which a front proxy's role lets request
 * everything here. Other bindings of that group apply as the cached roles have them. Visibility comes from these
 * roles: all objects of a kind are visible with `get` on all of them, as everybody may list and watch kinds whose
 * lists depend on the caller.
 */
export function subjectAccessAuthorizer(parts: SubjectAccessParts): Authorizer {
  const { rbac } = parts;
  const reviews = new SubjectAccessReviews(parts);
  return {
    authorize(user, attributes) {
      reviews.follow();
      const asked = askedAs(user, attributes, parts.forwarded.group);
      return onceKnown(reviews.decide(asked, attributes), (decision): Decision => {
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

/** Reviews of the host, with a cache of decisions. */
class SubjectAccessReviews {
  private readonly ask: ReturnType<typeof reviewer>;
  private readonly answers: DecisionCache<HostDecision>;
  private readonly budget: ReturnType<typeof reviewBudget>;
  private readonly now: () => number;
  private readonly informers: readonly (() => void)[];
  /** When roles or bindings changed last. */
  private changed = -Infinity;

  constructor(private readonly parts: SubjectAccessParts) {
    const { host, counts, caches, now = () => performance.now() } = parts;
    this.now = now;
    this.ask = reviewer(host, REVIEW, counts);
    this.answers = decisionCache<HostDecision>(MAX_CACHED_DECISIONS, now);
    this.budget = reviewBudget(now);
    const forget = (): void => this.forget();
    // What ignored roles represent is decided before the host, which uses such roles for named requests only.
    const counting = (events: readonly CacheEvent[]): void => {
      if (events.some(({ entry }) => !caches.isIgnored(entry.name))) forget();
    };
    this.informers = allOf(caches).map((cache) => onChanges(cache, counting, forget));
  }

  /** Drops decisions when roles or bindings change, once their caches are loaded. */
  follow(): void {
    whileLoaded(() => this.informers.forEach((informer) => informer()));
  }

  /**
   * If the wide review denies, reviews the request as it is, provided that it has selectors or the cached roles may
   * allow it.
   */
  decide(user: User, attributes: Attributes): HostDecision | Promise<HostDecision> {
    const wide = wideOf(attributes);
    if (wide === undefined) return this.askHost(user, attributes);
    return onceKnown(this.askHost(user, wide), (decision) => {
      const narrower =
        !decision.allowed && (isNarrowed(attributes) || this.expected(user, attributes) !== false);
      return narrower ? this.askHost(user, attributes) : decision;
    });
  }

  private askHost(user: User, attributes: Attributes): HostDecision | Promise<HostDecision> {
    const spec = reviewSpec(user, attributes);
    const key = JSON.stringify(spec);
    const fetch = async (): Promise<FetchedDecision<HostDecision>> => {
      const unlikely = this.expected(user, attributes) === false;
      if (unlikely && this.budget.isSpent(user.name)) return { value: REFUSED, ttlMs: 0 };
      const answer = await this.review(spec, user, attributes);
      if (unlikely && !answer.value.allowed) this.budget.spend(user.name);
      return answer;
    };
    if (key.length >= MAX_KEY_CHARACTERS) return fetch().then(({ value }) => value);
    return this.answers.get(key, fetch);
  }

  private async review(
    spec: object,
    user: User,
    attributes: Attributes,
  ): Promise<FetchedDecision<HostDecision>> {
    const { rbac, failed, forwarded } = this.parts;
    try {
      let decision = decisionOf(await this.ask(spec));
      for (const pause of LAG_PAUSES_MS) {
        if (decision.allowed || !this.isFresh() || this.expected(user, attributes) !== true) break;
        await sleep(pause);
        decision = decisionOf(await this.ask(spec));
      }
      // Other subjects of that role gain nothing by it, but their other roles may allow the request.
      if (namesRole(decision, forwarded.role))
        decision = whileLoaded(() => rbac.authorize(user, attributes)) ?? REFUSED;
      const doubtful = this.isFresh() && this.expected(user, attributes) !== decision.allowed;
      return { value: decision, ttlMs: doubtful ? 0 : this.ttlMs() };
    } catch (error) {
      failed(error);
      throw reviewUnavailable(error);
    }
  }

  private ttlMs(): number {
    const { cacheTtlMs, followed = () => true } = this.parts;
    return followed() ? cacheTtlMs : Math.min(cacheTtlMs, UNFOLLOWED_MS);
  }

  /** The decision by the host's cached roles and bindings, if they are loaded. */
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

/** Undefined while the caches are not loaded. */
function whileLoaded<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CacheUnavailable) return undefined;
    throw error;
  }
}
