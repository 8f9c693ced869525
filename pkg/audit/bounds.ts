/** Limits the content of clients in a line of the audit log. */
import type { Status } from '../apimachinery/errors.js';
import { auditLine, type AuditEvent, type ObjectReference } from './event.js';
import type { User } from '../apimachinery/user.js';

/** Maximum length of a line without bodies, in bytes. */
export const MAX_LINE = 64 * 1024;

/** In bytes: the longest line with bodies. A longer one would be left out of every search. */
export const MAX_LINE_WITH_BODIES = 1024 * 1024;

/** The annotation of an event whose bodies were too long to be recorded (`k8s.io/apiserver/plugin/pkg/audit/truncate`). */
const TRUNCATED = 'audit.k8s.io/truncated';

/** In characters, but for `items`. */
interface Limits {
  readonly uri: number;
  readonly text: number;
  /** Of a list, and of all that an extra or an annotation says together. */
  readonly items: number;
  readonly all: number;
}

const USUAL: Limits = { uri: 4096, text: 1024, items: 64, all: 4096 };
/** Less than {@link MAX_LINE} in any script, with six bytes for a character. */
const TIGHT: Limits = { uri: 512, text: 256, items: 16, all: 512 };

const CUT = '...TRUNCATED';

/**
 * The line of an event, with long members truncated, and without its bodies if they make it too long. `tight`: with
 * the limits for callers who may write less.
 */
export function boundedLine(event: AuditEvent, tight = false): string {
  const limits = tight ? TIGHT : USUAL;
  const line = auditLine(bounded(event, limits));
  if (event.requestObject !== undefined || event.responseObject !== undefined)
    return Buffer.byteLength(line) <= MAX_LINE_WITH_BODIES ? line : boundedLine(withoutBodies(event), tight);
  if (tight) return line;
  // A character takes six bytes at most.
  if (line.length * 6 < MAX_LINE || Buffer.byteLength(line) < MAX_LINE) return line;
  return auditLine(bounded(event, TIGHT));
}

function withoutBodies({ annotations, ...event }: AuditEvent): AuditEvent {
  // Of too many items the first stays.
  const marked = { [TRUNCATED]: 'true', ...annotations };
  return { ...event, requestObject: undefined, responseObject: undefined, annotations: marked };
}

/** Members that clients do not choose, and bodies, which have a common limit. */
type Unbounded =
  | 'level'
  | 'impersonationConstraint'
  | 'stage'
  | 'requestObject'
  | 'responseObject'
  | 'received'
  | 'at';
/** Every other member: none can be left out of {@link bounded}. */
type Bounded = { readonly [Name in Exclude<keyof AuditEvent, Unbounded>]: AuditEvent[Name] };

/** The event itself where nothing is too long, as nearly always. */
function bounded(event: AuditEvent, limits: Limits): AuditEvent {
  const { auditId, requestUri, verb, user, impersonated, sourceIps, userAgent, object, response } = event;
  const { uri, text } = limits;
  const parts: Bounded = {
    auditId: cutText(auditId, text),
    requestUri: cutText(requestUri, uri),
    verb: cutText(verb, text),
    user: user && userWithin(user, limits),
    impersonated: impersonated && userWithin(impersonated, limits),
    sourceIps: listWithin(sourceIps, limits),
    userAgent: cutText(userAgent, text),
    object: object && objectWithin(object, text),
    response: response && responseWithin(response, limits),
    annotations: textsWithin(event.annotations, limits),
  };
  // `for in` makes no list of the names.
  for (const name in parts) {
    // TypeScript takes its names for any text.
    if (parts[name as keyof Bounded] !== event[name as keyof Bounded]) return { ...event, ...parts };
  }
  return event;
}

function objectWithin(object: ObjectReference, most: number): ObjectReference {
  if (isShort(object, most)) return object;
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = object;
  return {
    resource: cutText(resource, most),
    namespace: cutText(namespace, most),
    name: cutText(name, most),
    apiGroup: cutText(apiGroup, most),
    apiVersion: cutText(apiVersion, most),
    subresource: cutText(subresource, most),
  };
}

const isShort = (
  { resource, namespace, name, apiGroup, apiVersion, subresource }: ObjectReference,
  most: number,
): boolean =>
  resource.length <= most &&
  namespace.length <= most &&
  name.length <= most &&
  apiGroup.length <= most &&
  apiVersion.length <= most &&
  subresource.length <= most;

function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - CUT.length)}${CUT}`;
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

function listWithin(texts: readonly string[], { items, text, all }: Limits): readonly string[] {
  if (texts.length <= items && lengthOf(texts) <= Math.min(text, all)) return texts;
  const kept: string[] = [];
  let left = all;
  for (const one of texts) {
    if (kept.length >= items || left <= 0) return [...kept, `${texts.length - kept.length} more${CUT}`];
    const cut = cutText(one, Math.max(Math.min(text, left), CUT.length));
    kept.push(cut);
    left -= cut.length;
  }
  return kept;
}

/** Every request asks, and nearly all do. */
function fits(texts: Readonly<Record<string, string>>, { items, text, all }: Limits): boolean {
  let count = 0;
  let length = 0;
  for (const name in texts) {
    count += 1;
    length += name.length + texts[name]!.length;
  }
  return count <= items && length <= Math.min(text, all);
}

function textsWithin(
  texts: Readonly<Record<string, string>>,
  limits: Limits,
): Readonly<Record<string, string>> {
  if (fits(texts, limits)) return texts;
  const entries = Object.entries(texts);
  const flat = entries.flat();
  const cut = listWithin(flat, { ...limits, items: limits.items * 2 });
  return Object.fromEntries(
    entries
      .map(([name], at): [string, string] => [cut[2 * at] ?? name, cut[2 * at + 1] ?? CUT])
      .slice(0, Math.floor(cut.length / 2)),
  );
}

/** By the users as they are: one is in many lines. */
const within = new Map<Limits, WeakMap<User, User>>();

function userWithin(user: User, limits: Limits): User {
  let known = within.get(limits);
  if (known === undefined) within.set(limits, (known = new WeakMap()));
  let found = known.get(user);
  if (found === undefined) known.set(user, (found = cutUser(user, limits)));
  return found;
}

function cutUser(user: User, limits: Limits): User {
  const groups = listWithin(user.groups, limits);
  const flat = Object.entries(user.extra).flatMap(([key, values]) => [key, ...values]);
  const wide = flat.length > limits.items || lengthOf(flat) > limits.all;
  const same = !wide && groups === user.groups;
  if (same && user.name.length <= limits.text && user.uid.length <= limits.text) return user;
  return {
    name: cutText(user.name, limits.text),
    uid: cutText(user.uid, limits.text),
    groups,
    extra: wide ? { [CUT]: listWithin(flat, limits) } : user.extra,
  };
}

type Response = NonNullable<AuditEvent['response']>;

function responseWithin(response: Response, limits: Limits): Response {
  if (response.failure === undefined) return response;
  const { message, details } = response.failure;
  const isLong = details !== undefined && sizeOf(details) > limits.all;
  if (!isLong && (message === undefined || message.length <= limits.text)) return response;
  const failure = {
    ...response.failure,
    ...(message !== undefined && { message: cutText(message, limits.text) }),
    ...(isLong && { details: detailsWithin(details, limits) }),
  };
  return { ...response, failure };
}

type Details = NonNullable<Status['details']>;

function sizeOf({ causes = [], ...own }: Details): number {
  const texts = [own, ...causes].flatMap((each) =>
    Object.values(each).filter((one) => typeof one === 'string'),
  );
  return lengthOf(texts) + causes.length * 32;
}

/** Without causes. */
function detailsWithin(details: Details, { text }: Limits): Details {
  const cut = Object.entries(details).flatMap(([key, value]) => {
    if (typeof value === 'string') return [[key, cutText(value, Math.floor(text / 4))]];
    return typeof value === 'number' ? [[key, value]] : [];
  });
  return Object.fromEntries(cut);
}
