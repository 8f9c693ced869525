/** Requests that are answered with a timeout are logged: sparingly, as a store that hangs fails all of them. */
import { StatusError, type StatusReason } from '../../apimachinery/errors.js';
import type { RequestContext } from '../requestcontext.js';
import type { RequestInfo } from '../requestinfo.js';
import { briefly, type Logger } from './log.js';

/** Between two lines for the same reason. */
const AGAIN_MS = 10_000;

/** Of the 500 and 504 that say that something did not answer in time. */
const REASONS: readonly StatusReason[] = ['ServerTimeout', 'Timeout'];

type FailedRequest = Pick<RequestContext, 'auditId' | 'began' | 'asked' | 'client' | 'impersonated'>;

export class TimeoutLog {
  private readonly last = new Map<StatusReason, { at: number; unlogged: number }>();

  /** `now`: ms of a clock that only grows, as `began` of calls. */
  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Logs a timeout, unless there was a line for its reason a moment ago: the next line has how many had none. */
  failed(error: unknown, { auditId, began, asked, client, impersonated }: FailedRequest): void {
    if (!(error instanceof StatusError)) return;
    const { reason } = error.status;
    if (reason === undefined || !REASONS.includes(reason)) return;
    const now = this.now();
    const last = this.last.get(reason);
    if (last !== undefined && now - last.at < AGAIN_MS) {
      last.unlogged += 1;
      return;
    }
    this.last.set(reason, { at: now, unlogged: 0 });
    const { code } = error;
    const unlogged = last?.unlogged ?? 0;
    const who = { user: briefly(client?.name ?? ''), impersonated: impersonated && briefly(impersonated) };
    const ms = Math.round(now - began);
    this.log.warn({ auditId, code, reason, ...askedFor(asked), ...who, ms, unlogged }, 'request timed out');
  }
}

/** Without names of objects. */
function askedFor(info: RequestInfo): object {
  const verb = briefly(info.verb);
  if (info.kind === 'path') return { verb };
  const { group, resource, subresource } = info;
  return { verb, group: briefly(group), resource: briefly(resource), subresource: briefly(subresource) };
}
