/** Records of requests, as `audit.k8s.io/v1` Events. Never give them bodies of kinds that hold secrets. */
import type { Status } from '../apimachinery/errors.js';

/** How much is recorded, from least to most. */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];

export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof STAGES)[number];

export interface AuditUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What a request is about; `name` may become known late. */
export interface ObjectReference {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface AuditEvent {
  readonly level: Level;
  readonly auditId: string;
  readonly stage: Stage;
  /** Without values of parameters that carry credentials. */
  readonly requestUri: string;
  readonly verb: string;
  readonly user: AuditUser | undefined;
  readonly impersonated: AuditUser | undefined;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly object: ObjectReference | undefined;
  /** Absent before there is an answer. */
  readonly response?: { readonly code: number; readonly failure?: Omit<Status, 'metadata'> };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  /** Milliseconds since the epoch, with fractions. */
  readonly received: number;
  readonly at: number;
  readonly annotations: Readonly<Record<string, string>>;
}

const MOST_USER_AGENT = 1024;

/** One line of JSON, without its end. */
export function auditLine(event: AuditEvent): string {
  const { user, impersonated, response, annotations } = event;
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: event.level,
    auditID: event.auditId,
    stage: event.stage,
    requestURI: event.requestUri,
    verb: event.verb,
    user: user === undefined ? {} : userOf(user),
    impersonatedUser: impersonated && userOf(impersonated),
    sourceIPs: event.sourceIps,
    userAgent: cut(event.userAgent),
    objectRef: event.object && referenceOf(event.object),
    responseStatus: response && { metadata: {}, ...failureOf(response.failure), code: response.code },
    requestObject: event.requestObject,
    responseObject: event.responseObject,
    requestReceivedTimestamp: microTime(event.received),
    stageTimestamp: microTime(event.at),
    annotations,
  });
}

const given = (text: string): string | undefined => (text === '' ? undefined : text);

function userOf({ name, uid, groups, extra }: AuditUser): object {
  const more = Object.keys(extra).length === 0 ? undefined : extra;
  return { username: name, uid: given(uid), groups: groups.length === 0 ? undefined : groups, extra: more };
}

function referenceOf(object: ObjectReference): object {
  return {
    resource: object.resource,
    namespace: given(object.namespace),
    name: given(object.name),
    apiGroup: given(object.apiGroup),
    apiVersion: object.apiVersion,
    subresource: given(object.subresource),
  };
}

function failureOf(failure: Omit<Status, 'metadata'> | undefined): object {
  if (failure === undefined) return {};
  const { status, message, reason, details } = failure;
  return { status, message, reason, details };
}

function cut(userAgent: string): string | undefined {
  if (userAgent.length <= MOST_USER_AGENT) return given(userAgent);
  return `${userAgent.slice(0, MOST_USER_AGENT)}...TRUNCATED`;
}

/** RFC 3339 with microseconds. */
export function microTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const micros = Math.floor((milliseconds - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
