/** Of which requests the audit log keeps some, when there are many. */
import { randomUUID } from 'node:crypto';
import { boundedLine } from '../../audit/bounds.js';
import type { User } from '../../apimachinery/user.js';
import type { LeftOut } from '../../audit/sampling.js';
import { ANONYMOUS } from '../../authentication/interface.js';
import type { RequestInfo } from '../requestinfo.js';

export const isUnauthenticated = (user: User | undefined): boolean =>
  user === undefined || user.name === ANONYMOUS.name;

const READS: readonly string[] = ['get', 'head', 'options', 'list', 'watch'];
/** What people may always ask about themselves. */
const ABOUT_ONESELF = /^self(subject(access|rules)?reviews|s)$|^selves$/;

/** Whether anybody can ask for it as often as they like, while nothing is done or told that matters. */
export function isCheap(info: RequestInfo, code: number, stranger: boolean): boolean {
  if (code >= 400) return true;
  if (info.kind === 'path') return stranger || READS.includes(info.verb);
  return ABOUT_ONESELF.test(info.resource) || (stranger && READS.includes(info.verb));
}

/** The line that tells how many requests have none. */
export function leftOutLine({ caller, count, since }: LeftOut): string {
  return boundedLine({
    level: 'Metadata',
    auditId: randomUUID(),
    stage: 'ResponseComplete',
    requestUri: '',
    verb: '',
    user: { name: caller ?? ANONYMOUS.name, uid: '', groups: [], extra: {} },
    impersonated: undefined,
    sourceIps: [],
    userAgent: '',
    object: undefined,
    received: since,
    at: Date.now(),
    annotations: { 'management.svc.example/requests-left-out': String(count) },
  });
}
