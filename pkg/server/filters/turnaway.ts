/** Under load, rejects requests that flow control would reject, before any other work. */
import { randomUUID } from 'node:crypto';
import type { User } from '../../authentication/interface.js';
import type { HandlerDependencies } from '../dependencies.js';
import { servedUrl, type Exchange, type Filter } from '../httpexchange.js';
import { answerEarly } from '../listener/rejectearly.js';
import { virtualResource } from '../activity.js';
import { requestInfo, type RequestInfo } from '../requestinfo.js';
import { NO_SNIFFING, type Headers } from '../responsewriters/send.js';
import type { LeavesOut } from './unauditedrejections.js';
import { credentialsOf } from './credentials.js';
import type { FlowControl } from './flowcontrol/flowcontrol.js';
import type { InSlices } from './inslices.js';

type Parts = Pick<HandlerDependencies, 'authenticator' | 'activity' | 'observe' | 'stores'> & {
  readonly flow: Pick<FlowControl, 'isFull' | 'turnsAway'>;
  /** Whether the audit log has no line of it. */
  readonly leavesOut: LeavesOut;
  /** When answers are sent. */
  readonly answers: InSlices;
};

/**
 * A rejected request is authenticated, counted and recorded as any other. Clients that need a TokenReview are left to
 * flow control. Answers are sent in slices: a connection has a limited number of streams, and sends the next request
 * after an answer.
 */
export function turnAway(parts: Parts): Filter {
  const { authenticator, activity, flow, leavesOut, answers } = parts;
  return (exchange) => {
    if (!flow.isFull()) return false;
    const { request, proved, end } = exchange;
    if (exchange.upgrade !== undefined || exchange.cluster !== undefined) return false;
    const known = authenticator.authenticate(credentialsOf(exchange));
    if (known instanceof Promise || known.outcome !== 'user') return false;
    const info = requestInfo(request.method ?? '', servedUrl(exchange));
    const { user } = known;
    if (!flow.turnsAway(user, info, request) || !leavesOut(info, user)) return false;
    proved?.();
    activity.authentication.success += 1;
    activity.dropped[virtualResource(info) ?? 'watch'] += 1;
    const began = performance.now();
    answers.add(() => {
      if (!end.over) answer(parts, exchange, info, user, began);
    });
    return true;
  };
}

const CODE = 429;
const TEXT = Buffer.from('Too many requests, please try again later.\n');
const NOTHING = Buffer.alloc(0);

function answer(
  { observe, stores }: Parts,
  exchange: Exchange,
  info: RequestInfo,
  user: User,
  began: number,
): void {
  const { request, response } = exchange;
  const auditId = randomUUID();
  const headers: Headers = {
    'Audit-Id': auditId,
    'Cache-Control': 'no-cache, private',
    'Content-Type': 'text/plain; charset=utf-8',
    'Retry-After': '1',
    [NO_SNIFFING.name]: NO_SNIFFING.value,
  };
  // Over HTTP/2 a text costs as much as all the rest of such an answer.
  if (request.httpVersionMajor === 2 && request.stream?.endAfterHeaders === true) {
    response.writeHead(CODE, headers);
    response.end(NOTHING);
  } else answerEarly(exchange, CODE, headers, TEXT);
  observe({
    info,
    code: CODE,
    user: user.name,
    impersonated: undefined,
    request,
    auditId,
    applies: false,
    served: info.kind === 'resource' && stores.find(info) !== undefined,
    milliseconds: performance.now() - began,
    longRunning: info.verb === 'watch',
    stages: () => ({}),
  });
}
