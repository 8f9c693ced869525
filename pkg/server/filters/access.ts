import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { failure, groupResource, quote, resourceDetails, userCannot } from '../../apimachinery/errors.js';
import type { StatusError } from '../../apimachinery/errors.js';
import type { Authentication, Credentials, User } from '../../authentication/interface.js';
import { ANONYMOUS } from '../../authentication/interface.js';
import type { Attributes, Authorizer, Decision, ResourceAttributes } from '../../authorization/interface.js';
import type { LiveView, Reading, Visibility } from '../../authorization/visibility/visibility.js';
import { EVERYTHING } from '../../registry/visibilityfilter.js';
import type { Shown } from '../../registry/visibilityfilter.js';
import type { AuditRecord } from './audit.js';
import { credentialsOf } from './credentials.js';
import type { Exchange } from '../httpexchange.js';
import type { HandlerDependencies } from '../handler.js';
import type { RequestInfo, ResourceRequest } from '../requestinfo.js';
import { NO_SELECTORS, requestSelectors } from '../requestselectors.js';
import type { ResourceStores } from '../resources.js';

/** Who calls, by what. */
export interface AuthenticatedCaller {
  readonly user: User;
  readonly credentials: Credentials;
  /** When time alone ends the credentials, in ms since 1970; Infinity: never. */
  readonly expires: number;
}

type AuthenticateParts = Pick<
  HandlerDependencies,
  'authenticator' | 'anonymous' | 'activity' | 'keepsConnection'
>;

/** Who calls; at once where that is known without asking elsewhere. Throws, and rejects with, StatusError 401. */
export function authenticate(
  parts: AuthenticateParts,
  exchange: Exchange,
  info: Pick<RequestInfo, 'path'>,
): AuthenticatedCaller | Promise<AuthenticatedCaller> {
  const credentials = credentialsOf(exchange.request);
  const pending = parts.authenticator.authenticate(credentials);
  return pending instanceof Promise
    ? pending.then((result) => callerOf(parts, exchange, info, credentials, result))
    : callerOf(parts, exchange, info, credentials, pending);
}

function callerOf(
  { anonymous, activity, keepsConnection }: AuthenticateParts,
  { request, proved }: Exchange,
  { path }: Pick<RequestInfo, 'path'>,
  credentials: Credentials,
  result: Authentication,
): AuthenticatedCaller {
  const attempts = activity.authentication;
  const known = result.outcome === 'user' || (result.outcome === 'none' && anonymous(path));
  attempts[known ? 'success' : 'failure'] += 1;
  if (result.outcome === 'user') {
    proved?.();
    const { user, expires = Infinity } = result;
    return { user, credentials, expires };
  }
  if (!known || keepsConnection?.(path, request.method ?? '') !== true) endHttp2(request);
  if (known) return { user: ANONYMOUS, credentials, expires: Infinity };
  throw unauthorized(result);
}

export const unauthorized = (answer: Authentication): StatusError =>
  failure('Unauthorized', answer.outcome === 'refused' ? answer.message : 'Unauthorized');

/** Streams are cheap to open: those who are not known get a connection for each. What is under way is answered. */
function endHttp2(request: IncomingMessage & { readonly stream?: ServerHttp2Stream }): void {
  request.stream?.session?.close();
}

declare const authorized: unique symbol;

/** A request that the caller may make: `authorize` is its only maker, and dispatch takes no other. */
export type Authorized<Info extends RequestInfo = RequestInfo> = Info & { readonly [authorized]: true };

/** What `authorize` answers. */
export interface Permission {
  readonly info: Authorized;
  readonly view: Shown<LiveView>;
}

/**
 * Throws, and rejects with, StatusError 403. Answers what is shown of a collection where that need not be all of it: a list
 * or watch is allowed to whoever may read something there.
 */
export function authorize(
  parts: AuthorizeParts,
  user: User,
  info: RequestInfo,
  record?: Pick<AuditRecord, 'decided'>,
): Permission | Promise<Permission> {
  const pending = decide(parts, user, info);
  return pending instanceof Promise
    ? pending.then((decided) => permissionOf(parts, user, info, record, decided))
    : permissionOf(parts, user, info, record, pending);
}

function permissionOf(
  { activity }: Pick<AuthorizeParts, 'activity'>,
  user: User,
  info: RequestInfo,
  record: Pick<AuditRecord, 'decided'> | undefined,
  decided: Decided,
): Permission {
  const { decision } = decided;
  activity.authorization[decision.allowed ? 'allowed' : 'denied'] += 1;
  record?.decided(decision);
  if (decided.view !== undefined) return { info: info as Authorized, view: decided.view };
  throw denialOf(user, info, decided.decision.reason);
}

/** Allowed, and what is shown of it, or not allowed. */
export type Decided =
  | { readonly decision: Extract<Decision, { allowed: true }>; readonly view: Shown<LiveView> }
  | { readonly decision: Extract<Decision, { allowed: false }>; readonly view?: undefined };

/** As `authorize`, without counting, recording or throwing what is refused. */
export function decide(
  { authorizer, visibility, stores }: Omit<AuthorizeParts, 'activity'>,
  user: User,
  info: RequestInfo,
): Decided | Promise<Decided> {
  const shownOf = (given: Decision): Decided => {
    const reading = readingOf(stores, visibility, info);
    if (given.allowed)
      return { decision: given, view: reading ? wholeView(visibility, user, reading) : EVERYTHING };
    const filter = reading && visibility.view(user, reading);
    return filter === undefined ? { decision: given } : { decision: SOME, view: { filter } };
  };
  const pending = authorizer.authorize(user, attributesOf(info));
  return pending instanceof Promise ? pending.then(shownOf) : shownOf(pending);
}

/** 403. */
export function denialOf(user: User, info: RequestInfo, reason: string): StatusError {
  const denial =
    info.kind === 'path' ? pathDenial(user, info.path, info.verb) : resourceDenial(user, pinned(info));
  return withReason(denial, reason);
}

/** What `authorize` asks. */
type AuthorizeParts = Pick<HandlerDependencies, 'authorizer' | 'activity' | 'visibility' | 'stores'>;

const SOME: Extract<Decision, { allowed: true }> = { allowed: true, reason: 'only what the user may see' };
const READING: readonly string[] = ['list', 'watch', 'deletecollection'];

/** Of requests for kinds whose lists show each caller what they may see. */
function readingOf(stores: ResourceStores, visibility: Visibility, info: RequestInfo): Reading | undefined {
  if (info.kind !== 'resource' || info.subresource !== '' || !READING.includes(info.verb)) return undefined;
  const store = stores.find(info);
  if (store === undefined || !visibility.applies(store.definition)) return undefined;
  const { definition, cache: objects } = store;
  return { definition, objects, namespace: info.namespace, verb: info.verb as Reading['verb'] };
}

/** A deletecollection that is allowed as a whole touches everything. */
const wholeView = (visibility: Visibility, user: User, reading: Reading): Shown<LiveView> =>
  reading.verb === 'deletecollection' ? EVERYTHING : visibility.wideView(user, reading);

/** A write that turns out to create its object needs that permission too. Throws StatusError 403. */
export async function authorizeCreation(
  authorizer: Authorizer,
  user: User,
  info: ResourceRequest,
): Promise<void> {
  const creation: ResourceRequest = { ...info, verb: 'create' };
  const decision = await authorizer.authorize(user, { ...creation });
  if (!decision.allowed) throw withReason(resourceDenial(user, pinned(creation)), decision.reason);
}

export function withReason(denial: StatusError, reason: string): StatusError {
  if (reason !== '') denial.status.message = `${denial.status.message ?? ''}: ${reason}`;
  return denial;
}

function attributesOf(info: RequestInfo): Attributes {
  if (info.kind === 'path') return { kind: 'path', verb: info.verb, path: info.path };
  const selectors = requestSelectors(info);
  const attributes = pinned(info);
  return selectors === NO_SELECTORS ? attributes : { ...attributes, ...selectors };
}

const pinned = (info: ResourceRequest): ResourceAttributes =>
  info.pinnedName === info.name ? info : { ...info, name: info.pinnedName };

function pathDenial(user: User, path: string, verb: string): StatusError {
  return failure('Forbidden', `forbidden: User ${quote(user.name)} cannot ${verb} path ${quote(path)}`, {});
}

export function resourceDenial(user: User, info: ResourceAttributes): StatusError {
  const resource = { group: info.group, plural: info.resource };
  const { name } = info;
  const subject = groupResource(resource) + (name === '' ? '' : ` ${quote(name)}`);
  const message = `${subject} is forbidden: ${userCannot(user.name, info)}`;
  return failure('Forbidden', message, resourceDetails(resource, name));
}
