/**
 * All requests in flight. Each ends soon after its credential expires or its right is revoked: after a change that may
 * have ended credentials or rights all are revalidated, in slices, and all are authenticated again at an interval, for
 * changes that are not announced.
 */
import { UnorderedSet } from '../../apimachinery/unorderedset.js';
import type { Exchange } from '../httpexchange.js';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import type { AccessRevision } from './accessrevision.js';
import { OpenRequest, type RequestStages, type Permitted, type RevalidationListener } from './openrequest.js';
import type { Authentication, Credentials } from '../../authentication/interface.js';

/** Thousands of open requests may have the same token: within one turn of the event loop it is authenticated once for all. */
interface SharedAnswers {
  /** Answers of authentication are remembered between `begin` and `end`, which lie in one turn. */
  readonly stages: RequestStages;
  begin(): void;
  end(): void;
}

function shareAnswers(stages: RequestStages): SharedAnswers {
  let answers: Map<string, Authentication> | undefined;
  return {
    stages: {
      ...stages,
      authenticate(credentials) {
        const { authorization } = credentials;
        if (answers === undefined || authorization === undefined || !isTokenAlone(credentials))
          return stages.authenticate(credentials);
        const known = answers.get(authorization);
        if (known !== undefined) return known;
        const answer = stages.authenticate(credentials);
        if (!(answer instanceof Promise)) answers.set(authorization, answer);
        return answer;
      },
    },
    begin: () => void (answers = new Map()),
    end: () => void (answers = undefined),
  };
}

/** Whether nothing but the Authorization header decides: headers of a front proxy count with its certificate alone. */
const isTokenAlone = ({ certificate, session, cluster, audiences }: Credentials): boolean =>
  certificate === undefined && session === undefined && cluster === undefined && audiences === undefined;

/** Interval of authentication, in ms. With the slices, a request ends well within two seconds. */
const EVERY_MS = 750;
/** Delay from a change to the revalidation of idle requests, in ms: changes come in bursts. */
const SOON_MS = 100;
/** Length of a slice before other work runs, in ms. */
const SLICE_MS = 3;
/** Maximum number of concurrent revalidations that wait for other servers. */
const MAX_WAITING = 64;

export class OpenRequests {
  private readonly open = new UnorderedSet<OpenRequest>();
  private readonly access: AccessRevision;
  private readonly shared: SharedAnswers;
  private timer: NodeJS.Timeout | undefined;
  private due = Infinity;
  private sweeping = false;

  constructor(access: AccessRevision, stages: RequestStages) {
    this.access = access;
    this.shared = shareAnswers(stages);
    access.onChange(() => this.arm(SOON_MS));
  }

  get size(): number {
    return this.open.size;
  }

  /** Called before authentication. */
  begin(exchange: Exchange, listener: RevalidationListener): OpenRequest {
    return new OpenRequest(this.access, this.shared.stages, exchange, listener);
  }

  /** The request is authorized; from here on it is revalidated, until it is closed. */
  permit(request: OpenRequest, permitted: Permitted): void {
    request.permit(permitted);
    this.open.add(request);
    this.arm(EVERY_MS);
  }

  close(request: OpenRequest): void {
    this.open.delete(request);
    request.close();
  }

  /** Nothing runs while nothing is open. */
  private arm(ms: number): void {
    if (this.open.size === 0 || this.sweeping) return;
    const at = performance.now() + ms;
    if (this.timer !== undefined && this.due <= at) return;
    clearTimeout(this.timer);
    this.due = at;
    this.timer = setTimeout(() => void this.sweep(), ms).unref();
  }

  private async sweep(): Promise<void> {
    this.timer = undefined;
    this.due = Infinity;
    this.sweeping = true;
    const began = performance.now();
    const revision = this.access.current();
    try {
      await this.revalidateAll(began);
    } finally {
      this.shared.end();
      this.sweeping = false;
    }
    this.arm(revision === this.access.current() ? EVERY_MS : SOON_MS);
  }

  /** Results from before the pause may be outdated. */
  private async pause(until: Promise<unknown>): Promise<void> {
    this.shared.end();
    await until;
    this.shared.begin();
  }

  private async revalidateAll(began: number): Promise<void> {
    const waiting = new Set<Promise<void>>();
    let sliceEnd = began + SLICE_MS;
    this.shared.begin();
    for (const request of this.open) {
      // Revalidated by its own response a moment ago, or new.
      if (request.isCurrent() && !request.rightsMayHaveChanged && began - request.asked < EVERY_MS / 2)
        continue;
      const outcome = request.revalidate();
      if (outcome instanceof Promise) {
        const one: Promise<void> = outcome
          .then((late) => late === 'valid' && request.found())
          .then(() => void waiting.delete(one));
        waiting.add(one);
        if (waiting.size >= MAX_WAITING) await this.pause(Promise.race(waiting));
      } else if (outcome === 'valid') request.found();
      if (performance.now() < sliceEnd) continue;
      await this.pause(nextTurn());
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
}
