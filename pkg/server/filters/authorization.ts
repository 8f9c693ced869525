/** Whether the user may make a request (`WithAuthorization` of `k8s.io/apiserver/pkg/endpoints/filters`), and the 403 if not. */
import {
  failure,
  groupResource,
  quote,
  resourceDetails,
  userCannot,
  type StatusError,
} from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import type { Attributes, Authorizer, Decision, ResourceAttributes } from '../../authorization/interface.js';
import type { LiveView, Reading, Visibility } from '../../authorization/visibility.js';
import { EVERYTHING, type Shown } from '../../registry/visibilityfilter.js';
import type { AuditRecord } from './auditrecord.js';
import type { HandlerDependencies } from '../dependencies.js';
import type { Authorized, RequestInfo, ResourceRequest } from '../requestinfo.js';
import { NO_SELECTORS, requestSelectors } from '../requestselectors.js';
import type { ResourceStores } from '../resources.js';
import { onceKnown } from '../../apimachinery/eventloop/onceknown.js';

/** An authorized request, and which objects of a collection its caller may see. */
export interface Permission {
  readonly info: Authorized;
  readonly view: Shown<LiveView>;
}

/**
 * Authorizes a request. Throws, and rejects with, StatusError 403, also for an invisible object. A list, watch or
 * deletecollection is allowed if the caller may read some of its objects; `view` then restricts it to these.
 */
export function authorize(
  parts: AuthorizeParts,
  user: User,
  info: RequestInfo,
  record?: DecisionRecord,
): Permission | Promise<Permission> {
  return onceKnown(decide(parts, user, info), (decided) => permissionOf(parts, user, info, record, decided));
}

function permissionOf(
  { activity }: Pick<AuthorizeParts, 'activity'>,
  user: User,
  info: RequestInfo,
  record: DecisionRecord | undefined,
  decided: Decided,
): Permission {
  const { decision } = decided;
  activity.authorization[decision.allowed ? 'allowed' : 'denied'] += 1;
  record?.decided(decision);
  // The one place that makes requests Authorized.
  if (decided.view !== undefined) return { info: info as Authorized, view: decided.view };
  if (decided.seesNone) record?.seesNone();
  throw forbiddenRequest(user, info, decided.decision.reason);
}

type DecisionRecord = Pick<AuditRecord, 'decided' | 'seesNone'>;

/** Allowed, with the objects that are shown, or not allowed. */
export type Decided =
  | { readonly decision: Extract<Decision, { allowed: true }>; readonly view: Shown<LiveView> }
  | {
      readonly decision: Extract<Decision, { allowed: false }>;
      readonly view?: undefined;
      /** It would have had only what the caller may see, which is nothing. A request for one object does not count. */
      readonly seesNone: boolean;
    };

/** As `authorize`, but neither counts nor audits the decision, and does not throw when it is a refusal. */
export function decide(
  { authorizer, visibility, stores }: DecideParts,
  user: User,
  info: RequestInfo,
): Decided | Promise<Decided> {
  const shownOf = (given: Decision): Decided => {
    const reading = readingOf(stores, visibility, info);
    if (given.allowed)
      return { decision: given, view: reading ? wholeView(visibility, user, reading) : EVERYTHING };
    const filter = reading && visibility.view(user, reading);
    if (filter !== undefined) return { decision: SOME, view: { filter } };
    return { decision: given, seesNone: reading !== undefined && isOfAll(info, reading) };
  };
  return onceKnown(authorizer.authorize(user, attributesOf(info)), shownOf);
}

/** 403 for a request that its user may not make. */
export function forbiddenRequest(user: User, info: RequestInfo, reason: string): StatusError {
  return forbidden(user, info.kind === 'path' ? info : withPinnedName(info), reason);
}

/** 403 for what a user may not do. `reason` may be empty. */
export function forbidden(user: User, attributes: Attributes, reason: string): StatusError {
  if (attributes.kind === 'resource') return forbiddenResource(user, attributes, reason);
  const { verb, path } = attributes;
  const message = `forbidden: User ${quote(user.name)} cannot ${verb} path ${quote(path)}`;
  return failure('Forbidden', withReason(message, reason), {});
}

/** 403, worded as `k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go` does. `reason` may be empty. */
function forbiddenResource(user: User, attributes: ResourceAttributes, reason: string): StatusError {
  const { name } = attributes;
  const resource = { group: attributes.group, plural: attributes.resource };
  const subject = groupResource(resource) + (name === '' ? '' : ` ${quote(name)}`);
  const message = `${subject} is forbidden: ${userCannot(user.name, attributes)}`;
  return failure('Forbidden', withReason(message, reason), resourceDetails(resource, name));
}

const withReason = (message: string, reason: string): string =>
  reason === '' ? message : `${message}: ${reason}`;

/** What a decision is made of. */
export type DecideParts = Pick<HandlerDependencies, 'authorizer' | 'visibility' | 'stores'>;
type AuthorizeParts = DecideParts & Pick<HandlerDependencies, 'activity'>;

const SOME: Extract<Decision, { allowed: true }> = { allowed: true, reason: 'only what the user may see' };
const isReading = (verb: string): verb is Reading['verb'] =>
  verb === 'list' || verb === 'watch' || verb === 'deletecollection';

const isOfAll = (info: RequestInfo, { verb }: Reading): boolean =>
  verb !== 'deletecollection' && info.kind === 'resource' && withPinnedName(info).name === '';

/** The collection that a request reads, if the lists of its kind depend on the caller. */
function readingOf(stores: ResourceStores, visibility: Visibility, info: RequestInfo): Reading | undefined {
  if (info.kind !== 'resource' || info.subresource !== '') return undefined;
  const { namespace, verb } = info;
  if (!isReading(verb)) return undefined;
  const store = stores.find(info);
  if (store === undefined || !visibility.applies(store.definition)) return undefined;
  const { definition, cache: objects } = store;
  return { definition, objects, namespace, verb };
}

/** A deletecollection that is allowed as a whole deletes everything. */
const wholeView = (visibility: Visibility, user: User, reading: Reading): Shown<LiveView> =>
  reading.verb === 'deletecollection' ? EVERYTHING : visibility.wideView(user, reading);

/**
 * Authorizes an update, patch or apply that creates its object, which also requires `create`. Throws StatusError 403.
 */
export async function authorizeCreation(
  authorizer: Authorizer,
  user: User,
  info: ResourceRequest,
): Promise<void> {
  const creation: ResourceRequest = { ...info, verb: 'create' };
  const decision = await authorizer.authorize(user, { ...creation });
  if (!decision.allowed) throw forbiddenResource(user, withPinnedName(creation), decision.reason);
}

/** What a request asks an authorizer for. */
export function attributesOf(info: RequestInfo): Attributes {
  if (info.kind === 'path') return { kind: 'path', verb: info.verb, path: info.path };
  const selectors = requestSelectors(info);
  const attributes = withPinnedName(info);
  return selectors === NO_SELECTORS ? attributes : { ...attributes, ...selectors };
}

/** With the name that the request is limited to, which a field selector of a list may say as well. */
const withPinnedName = (info: ResourceRequest): ResourceAttributes =>
  info.pinnedName === info.name ? info : { ...info, name: info.pinnedName };
