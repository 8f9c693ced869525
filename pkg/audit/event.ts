/** Records of requests, as `audit.k8s.io/v1` Events. Never give them bodies of kinds that hold secrets. */
import type { Status } from '../apimachinery/errors.js';
import type { User } from '../apimachinery/user.js';

/** Audit levels, from least to most. */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];

export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof STAGES)[number];

/** The object of a request; `name` may be set late. */
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
  readonly user: User | undefined;
  readonly impersonated: User | undefined;
  /** The verb that permitted it in a constrained mode. */
  readonly impersonationConstraint?: string | undefined;
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

const MAX_USER_AGENT = 1024;

/** One line of JSON, without its end. Written piece by piece: every request has one. */
export function auditLine(event: AuditEvent): string {
  const { user, impersonated, impersonationConstraint: constraint } = event;
  const { response, requestObject, responseObject, annotations } = event;
  const object = event.object === undefined ? '' : `"objectRef":${referenceOf(event.object)},`;
  return (
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${event.level}",` +
    `"auditID":${quoted(event.auditId)},"stage":"${event.stage}","requestURI":${quoted(event.requestUri)},` +
    `"verb":${quoted(event.verb)},"user":${user === undefined ? '{}' : userOf(user)},` +
    (impersonated === undefined ? '' : `"impersonatedUser":${userOf(impersonated)},`) +
    (constraint === undefined
      ? ''
      : `"authenticationMetadata":{"impersonationConstraint":${quoted(constraint)}},`) +
    `"sourceIPs":${quoted(event.sourceIps)},${given('userAgent', cut(event.userAgent))}${object}` +
    (response === undefined ? '' : `"responseStatus":${statusOf(response)},`) +
    (requestObject === undefined ? '' : `"requestObject":${quoted(requestObject)},`) +
    (responseObject === undefined ? '' : `"responseObject":${quoted(responseObject)},`) +
    `"requestReceivedTimestamp":"${microTime(event.received)}","stageTimestamp":"${microTime(event.at)}",` +
    `"annotations":${quoted(annotations)}}`
  );
}

const quoted = (value: unknown): string => JSON.stringify(value);
/** A member and its trailing comma, if there is a value. */
const given = (name: string, text: string): string => (text === '' ? '' : `"${name}":${quoted(text)},`);

const users = new WeakMap<User, string>();

function userOf(user: User): string {
  let known = users.get(user);
  if (known === undefined) users.set(user, (known = writtenUser(user)));
  return known;
}

function writtenUser({ name, uid, groups, extra }: User): string {
  return quoted({
    username: name,
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: Object.keys(extra).length === 0 ? undefined : extra,
  });
}

function referenceOf(object: ObjectReference): string {
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = object;
  return (
    `{"resource":${quoted(resource)},${given('namespace', namespace)}${given('name', name)}` +
    `${given('apiGroup', apiGroup)}"apiVersion":${quoted(apiVersion)}` +
    (subresource === '' ? '}' : `,"subresource":${quoted(subresource)}}`)
  );
}

function statusOf({ code, failure }: NonNullable<AuditEvent['response']>): string {
  if (failure === undefined) return `{"metadata":{},"code":${code}}`;
  const { status, message, reason, details } = failure;
  return quoted({ metadata: {}, status, message, reason, details, code });
}

function cut(userAgent: string): string {
  return userAgent.length <= MAX_USER_AGENT ? userAgent : `${userAgent.slice(0, MAX_USER_AGENT)}...TRUNCATED`;
}

/** The last second that was written, and how: `2026-11-21T17:40:00.`. */
let second = { number: NaN, text: '' };

/** RFC 3339 with microseconds. */
export function microTime(milliseconds: number): string {
  const number = Math.floor(milliseconds / 1000);
  if (number !== second.number) {
    second = { number, text: new Date(number * 1000).toISOString().slice(0, -'000Z'.length) };
  }
  const micros = Math.floor((milliseconds - number * 1000) * 1000);
  return `${second.text}${String(micros).padStart(6, '0')}Z`;
}
