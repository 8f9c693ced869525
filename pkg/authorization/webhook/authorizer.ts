import { setTimeout as sleep } from 'node:timers/promises';
import type { User } from '../../authentication/interface.js';
import { CacheUnavailable } from '../../cache/interface.js';
import { onChanges } from '../../cache/onchanges.js';
import type { Answer } from '../../hostclient/answers.js';
import { keptAnswers } from '../../hostclient/answers.js';
import type { HostClient } from '../../hostclient/interface.js';
import { reviewer } from '../../hostclient/review.js';
import type { ReviewCounts } from '../../hostclient/reviewcounts.js';
import type { Attributes, Authorizer, Decision, ResourceAttributes } from '../interface.js';
import type { RbacAuthorizer } from '../rbac/authorizer.js';
import type { RbacCaches } from '../rbac/policy.js';
import { decisionOf, unanswered } from './decision.js';
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
const MOST_KEPT = 50_000;
/** Questions with more to them are not kept: callers choose the words. In characters. */
const LONGEST_KEPT = 10_000;
/** How long the host may take until its own authorizer knows what its watches have told of already. */
const LAG_MS = 2_000;
const LAG_PAUSES_MS = [50, 100, 200, 400];
const SEEING: readonly string[] = ['list', 'watch'];

/**
 * The host decides (SubjectAccessReview). Its answers are kept for a moment, and forgotten when its roles or bindings
 * change. What a user sees of a kind is told from these: everything takes `get` on all of it, as everybody may list and
 * watch what shows each caller their own.
 */
export function subjectAccessAuthorizer(parts: SubjectAccessParts): Authorizer {
  const { host, counts, caches, rbac, failed, now = () => performance.now() } = parts;
  const ask = reviewer(host, REVIEW, counts);
  const answers = keptAnswers<Decision>(MOST_KEPT, now);
  let changed = -Infinity;
  const forget = (): void => {
    changed = now();
    answers.clear();
  };
  const following = Object.values(caches).map((cache) => onChanges(cache, forget, forget));
  const isFresh = (): boolean => now() - changed < LAG_MS;
  /** What the host's roles and bindings say, where they are known. */
  const expected = (user: User, attributes: Attributes): boolean | undefined =>
    whileLoaded(() => rbac.authorize(user, attributes).allowed);

  async function review(spec: object, user: User, attributes: Attributes): Promise<Answer<Decision>> {
    try {
      let decision = decisionOf(await ask(spec));
      for (const pause of LAG_PAUSES_MS) {
        if (decision.allowed || !isFresh() || expected(user, attributes) !== true) break;
        await sleep(pause);
        decision = decisionOf(await ask(spec));
      }
      const doubtful = isFresh() && expected(user, attributes) !== decision.allowed;
      const ttl = decision.allowed ? parts.authorizedTtlMs : parts.unauthorizedTtlMs;
      return { value: decision, keepMs: doubtful ? 0 : ttl };
    } catch (error) {
      failed(error);
      throw unanswered(error);
    }
  }

  function decide(user: User, attributes: Attributes): Decision | Promise<Decision> {
    const spec = reviewSpec(user, attributes);
    const key = JSON.stringify(spec);
    const fetch = (): Promise<Answer<Decision>> => review(spec, user, attributes);
    if (key.length >= LONGEST_KEPT) return fetch().then(({ value }) => value);
    return answers.get(key, fetch);
  }

  /** Of what the host has allowed already, by name, it is enough that it allows it whatever the name. */
  function decideForwarded(user: User, attributes: ResourceAttributes): Decision | Promise<Decision> {
    const wide = decide(user, { ...attributes, name: '' });
    const consider = (decision: Decision): Decision | Promise<Decision> =>
      decision.allowed ? decision : decide(user, attributes);
    return wide instanceof Promise ? wide.then(consider) : consider(wide);
  }

  return {
    authorize(user, attributes) {
      whileLoaded(() => following.forEach((follow) => follow()));
      const named = attributes.kind === 'resource' && attributes.name !== '' && attributes.forwarded === true;
      return named ? decideForwarded(user, attributes) : decide(user, attributes);
    },
    visible: (user, attributes) =>
      rbac.visible(user, SEEING.includes(attributes.verb) ? { ...attributes, verb: 'get' } : attributes),
    namespaces: (user) => rbac.namespaces(user),
    // The host may decide by more than its roles.
    rulesFor: (user, namespace) => ({ ...rbac.rulesFor(user, namespace), incomplete: true }),
  };
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
