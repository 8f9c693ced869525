/**
 * Acting as someone else: `Impersonate-*` headers (`k8s.io/apiserver/pkg/endpoints/filters/impersonation`). Each user,
 * group, uid and extra value asked for takes the verb `impersonate` on it. The scope and the end of the client's credential stay.
 */
import { badRequest, quote } from '../../apimachinery/errors.js';
import { dns1123Label, dns1123Subdomain } from '../../apimachinery/validation/names.js';
import { unescapedExtraKey } from '../../authentication/extrakey.js';
import { headerText } from '../../authentication/headertext.js';
import { AUTHENTICATED, UNAUTHENTICATED } from '../../authentication/groups.js';
import { ANONYMOUS, type User } from '../../authentication/interface.js';
import type { Authorizer, ResourceAttributes } from '../../authorization/interface.js';
import { forbiddenResource } from './authorization.js';
import type { Exchange } from '../httpexchange.js';

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/**
 * The impersonated user, or `user` without impersonation. Throws StatusError 400 for headers without a user name (an empty
 * one is what is left of a name of blanks) and for values that are not UTF-8, 403 for attributes that `user` may not
 * impersonate.
 */
export function impersonate(authorizer: Authorizer, user: User, { request }: Exchange): User | Promise<User> {
  return asksToImpersonate(request.headers) ? impersonated(authorizer, user, request) : user;
}

async function impersonated(authorizer: Authorizer, user: User, request: Exchange['request']): Promise<User> {
  const wanted = wantedUser(request.rawHeaders);
  if (wanted.name === '') {
    if (isNobody(wanted)) throw badRequest('the headers Impersonate-* name nobody to act as');
    throw badRequest(`requested ${printed(wanted)} without impersonating a user name`);
  }
  for (const target of targetsOf(wanted)) {
    const decision = await authorizer.authorize(user, target);
    if (!decision.allowed) throw forbiddenResource(user, target, decision.reason);
  }
  const { scope, credential, byFrontProxy } = user;
  return {
    ...wanted,
    groups: withOwnGroups(wanted),
    ...(scope !== undefined && { scope }),
    ...(credential !== undefined && { credential }),
    ...(byFrontProxy === true && { byFrontProxy }),
  };
}

function asksToImpersonate(headers: object): boolean {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
}

type Wanted = User & { readonly extra: Record<string, readonly string[]> };

/**
 * Reads the raw headers, as joined ones are ambiguous for values with commas. The listener refuses a second user or uid.
 * Throws StatusError 400 for values that are not UTF-8.
 */
function wantedUser(rawHeaders: readonly string[]): Wanted {
  const values = (name: string): string[] =>
    rawHeaders
      .filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
      .map((value) => textOf(name, value));
  const extra: Record<string, string[]> = Object.create(null);
  rawHeaders.forEach((value, at) => {
    const name = at % 2 === 1 ? rawHeaders[at - 1]!.toLowerCase() : '';
    if (name.startsWith(EXTRA)) (extra[keyOf(name)] ??= []).push(textOf(name, value));
  });
  return {
    name: values(`${PREFIX}user`)[0] ?? '',
    uid: values(`${PREFIX}uid`)[0] ?? '',
    groups: values(`${PREFIX}group`),
    extra,
  };
}

const keyOf = (name: string): string => inUtf8(name, () => unescapedExtraKey(name.slice(EXTRA.length)));

const textOf = (name: string, value: string): string => inUtf8(name, () => headerText(value));

function inUtf8(name: string, read: () => string): string {
  try {
    return read();
  } catch {
    throw badRequest(`the header ${name} is not UTF-8`);
  }
}

const isNobody = ({ uid, groups, extra }: User): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

/** As Go prints the struct. */
function printed({ uid, groups, extra }: User): string {
  const list = (texts: readonly string[]): string => `[]string{${texts.map(quote).join(', ')}}`;
  const members = Object.entries(extra).map(([key, texts]) => `${quote(key)}:${list(texts)}`);
  const map =
    members.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${members.join(', ')}}`;
  const shown = groups.length === 0 ? '[]string(nil)' : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${shown}, Extra:${map}}`;
}

/** The attributes to authorize, one by one. */
function* targetsOf({ name, uid, groups, extra }: User): Generator<ResourceAttributes> {
  const core = {
    kind: 'resource',
    verb: 'impersonate',
    group: '',
    version: 'v1',
    subresource: '',
    namespace: '',
  } as const;
  const authentication = { ...core, group: 'authentication.k8s.io' } as const;
  const account = serviceAccountOf(name);
  if (account === undefined) yield { ...core, resource: 'users', name };
  else yield { ...core, resource: 'serviceaccounts', ...account };
  for (const group of groups) yield { ...core, resource: 'groups', name: group };
  for (const [subresource, texts] of Object.entries(extra)) {
    for (const text of texts) yield { ...authentication, resource: 'userextras', subresource, name: text };
  }
  if (uid !== '') yield { ...authentication, resource: 'uids', name: uid };
}

/** Of `system:serviceaccount:<namespace>:<name>`. */
function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (rest.length > 0 || dns1123Label(namespace).length > 0 || dns1123Subdomain(name).length > 0)
    return undefined;
  return { namespace, name };
}

/** A service account brings its groups when none are asked for; all but the anonymous are authenticated. */
function withOwnGroups({ name, groups }: User): readonly string[] {
  const account = groups.length === 0 ? serviceAccountOf(name) : undefined;
  const own =
    account === undefined
      ? groups
      : ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  if (own.includes(AUTHENTICATED) || own.includes(UNAUTHENTICATED)) return own;
  return [...own, name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED];
}
