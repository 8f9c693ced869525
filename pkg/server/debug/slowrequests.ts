/** The slowest requests of the last minutes, for administrators. */
import type { Observation } from '../dependencies.js';
import { briefly, loggableUrl } from '../logging/log.js';
import { rounded, type StageTimes } from '../stages.js';

export interface SlowRequest {
  /** When it was over, RFC 3339. */
  readonly time: string;
  readonly verb: string;
  /** Without the query, in which clients may have put anything. */
  readonly path: string;
  readonly user: string;
  readonly impersonated?: string;
  readonly code: number;
  readonly milliseconds: number;
  readonly stages: StageTimes;
  /** As in the audit log and in the server's log. */
  readonly auditId: string;
}

/** Maximum number of requests in a period, and of one user, so that no user displaces all others. */
const MAX = 50;
const MAX_PER_USER = 5;
const PERIOD_MS = 10 * 60_000;

/** The slowest requests of the current period of ten minutes, and of the one before. */
export class SlowRequests {
  private began = performance.now();
  private current: SlowRequest[] = [];
  private former: SlowRequest[] = [];

  /** Cheap for a request that is not among the slowest. Ignores long-running requests. */
  record(observation: Observation): void {
    const { milliseconds, info, longRunning } = observation;
    if (longRunning || info.path.startsWith('/debug/')) return;
    this.turn();
    const last = this.current.at(-1);
    if (this.current.length >= MAX && last !== undefined && last.milliseconds >= milliseconds) return;
    this.insert(described(observation));
  }

  /** The slowest first. */
  list(): SlowRequest[] {
    this.turn();
    return [...this.current, ...this.former].sort(slowestFirst);
  }

  private insert(request: SlowRequest): void {
    const mine = this.current.filter(({ user }) => user === request.user);
    const fastest = mine.at(-1);
    if (mine.length >= MAX_PER_USER && fastest !== undefined) {
      if (fastest.milliseconds >= request.milliseconds) return;
      this.current.splice(this.current.indexOf(fastest), 1);
    }
    const at = this.current.findIndex(({ milliseconds }) => milliseconds < request.milliseconds);
    this.current.splice(at < 0 ? this.current.length : at, 0, request);
    if (this.current.length > MAX) this.current.pop();
  }

  private turn(): void {
    const now = performance.now();
    if (now - this.began < PERIOD_MS) return;
    this.former = now - this.began < 2 * PERIOD_MS ? this.current : [];
    this.current = [];
    this.began = now;
  }
}

const slowestFirst = (one: SlowRequest, other: SlowRequest): number => other.milliseconds - one.milliseconds;

function described(observation: Observation): SlowRequest {
  const { info, code, milliseconds, user, impersonated, auditId, stages } = observation;
  return {
    time: new Date().toISOString(),
    verb: briefly(info.verb),
    path: briefly(loggableUrl(info.path, '')),
    user: briefly(user),
    ...(impersonated === undefined ? {} : { impersonated: briefly(impersonated) }),
    code,
    milliseconds: rounded(milliseconds),
    stages: stages(),
    auditId,
  };
}
