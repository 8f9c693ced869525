/** Selects the requests whose audit lines are limited. */
import { randomUUID } from 'node:crypto';
import { boundedLine } from '../../audit/bounds.js';
import type { User } from '../../apimachinery/user.js';
import type { LeftOut } from '../../audit/sampling.js';
import { ANONYMOUS } from '../../authentication/interface.js';
import type { RequestInfo } from '../requestinfo.js';

export const isUnauthenticated = (user: User | undefined): boolean =>
  user === undefined || user.name === ANONYMOUS.name;

const READS: readonly string[] = ['get', 'head', 'options', 'list', 'watch'];
/** Reviews that all users may make about themselves. */
const ABOUT_ONESELF = /^self(subject(access|rules)?reviews|s)$|^selves$/;

/** Whether the request changes nothing. A dry run that the body of a delete asks for is not seen here. */
export const isReading = (info: RequestInfo): boolean =>
  READS.includes(info.verb) ||
  (info.kind !== 'path' && (ABOUT_ONESELF.test(info.resource) || isDryRun(info.query)));

const isDryRun = (query: string): boolean =>
  query.includes('dryRun') && new URLSearchParams(query).getAll('dryRun').includes('All');

/** Whether anybody can repeat the request at will, without changing or revealing anything important. */
export function isCheap(info: RequestInfo, code: number, stranger: boolean): boolean {
  if (code >= 400) return true;
  if (info.kind === 'path') return stranger || READS.includes(info.verb);
  return ABOUT_ONESELF.test(info.resource) || (stranger && READS.includes(info.verb));
}

/** The line with the number of omitted lines. */
export function leftOutLine({ caller, count, changes = 0, since }: LeftOut): string {
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
    annotations: {
      'management.svc.example/requests-left-out': String(count),
      ...(changes > 0 && { 'management.svc.example/changes-left-out': String(changes) }),
    },
  });
}
