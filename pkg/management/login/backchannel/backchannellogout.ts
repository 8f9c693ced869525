/** Logouts that the identity provider announces (OpenID Connect Back-Channel Logout 1.0). */
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind } from '../../../../api/resource.js';
import { isObject, membersOf } from '../../../apimachinery/encoding/members.js';
import type { ResourceStore } from '../../../registry/resourcestore.js';
import { LOGIN_KEYS } from '../../loginkeys.js';
import type { EndedLogins } from './endedlogins.js';
import { isOfSession } from '../record/loginkeyname.js';
import type { LoginSettings } from '../interface.js';
import {
  ALGORITHMS,
  checkForm,
  CLOCK_SKEW_SECONDS,
  failureOf,
  keySource,
  refused,
} from '../workload/issuerkeys.js';
import { endSession, type SessionKey } from '../sessionlimit.js';
import type { UsedLogins } from '../usedlogins.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TYPES = ['logout+jwt', 'jwt'];
/** From when it was issued. A token that was used is remembered for longer. */
const MAX_TOKEN_AGE_SECONDS = 600;
const FIELD_MANAGER = 'login';
/** How long the keys of other servers are waited for. */
const CACHE_TIMEOUT_MS = 5_000;

export interface BackChannelLogoutParts {
  readonly users: ResourceStore;
  readonly keys: ResourceStore;
  readonly settings: Pick<LoginSettings, 'issuer' | 'clientId' | 'authorities'>;
  readonly usedLogins: Pick<UsedLogins, 'use' | 'release'>;
  readonly endedLogins: Pick<EndedLogins, 'end'>;
  /** ms since 1970. */
  readonly now?: () => number;
}

/** Whose login, or which session of it, ends. */
interface Ended {
  readonly id: string;
  readonly subject: string | undefined;
  readonly session: string | undefined;
}

/** Ends the logins that a logout token names, each token once. Rejects with LoginFailure: 400 for the token, 502. */
export type BackChannelLogout = (token: string) => Promise<void>;

export function backChannelLogout(parts: BackChannelLogoutParts): BackChannelLogout {
  const { settings, usedLogins, now = Date.now } = parts;
  const source = keySource(settings, now);
  return async (token) => {
    const ended = await verified(token, settings, source, now);
    const use = `logout ${ended.id}`;
    if (!(await usedLogins.use(use))) throw refused('The token was used already.');
    try {
      await endLogins(parts, ended);
    } catch (error) {
      // The provider may announce it again.
      await usedLogins.release(use);
      throw error;
    }
  };
}

/** Logins that wait for their person, and keys. The pending ones first: each then sees its end, or is seen. */
async function endLogins(parts: BackChannelLogoutParts, ended: Ended): Promise<void> {
  const { users, keys, endedLogins } = parts;
  const { subject, session } = ended;
  const known = subject === undefined ? [] : [subject];
  await endedLogins.end(
    session === undefined
      ? known.map((one) => ({ subject: one }))
      : [{ session }, ...known.map((one) => ({ unknownSessionOf: one }))],
  );
  const revision = await keys.newestRevision();
  for (const { cache } of [users, keys])
    if (!(await cache.reach(revision, CACHE_TIMEOUT_MS)))
      throw new Error('a logout needs what other servers wrote');
  const people = subject === undefined ? undefined : usersOf(users, subject);
  // The session alone says whose it is by its keys.
  const found = people ?? usersWith(keys, session ?? '');
  if (people === undefined)
    await endedLogins.end(subjectsOf(users, found).map((one) => ({ unknownSessionOf: one })));
  for (const key of keysOf(keys, found, session)) await endSession(keys, key, FIELD_MANAGER);
}

async function verified(
  token: string,
  { issuer, clientId }: BackChannelLogoutParts['settings'],
  source: ReturnType<typeof keySource>,
  now: () => number,
): Promise<Ended> {
  checkForm(token);
  const jose = await import('jose');
  const getKey = await source(jose);
  try {
    const { payload, protectedHeader } = await jose.jwtVerify(token, getKey, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      requiredClaims: ['iat', 'jti'],
      currentDate: new Date(now()),
      clockTolerance: CLOCK_SKEW_SECONDS,
      maxTokenAge: MAX_TOKEN_AGE_SECONDS,
    });
    if (!TYPES.includes((protectedHeader.typ ?? 'jwt').toLowerCase()))
      throw refused('The "typ" of the token is not logout+jwt.');
    return endedBy(payload);
  } catch (error) {
    throw failureOf(jose, error);
  }
}

/** Section 2.6. */
function endedBy(payload: Readonly<Record<string, unknown>>): Ended {
  const { events, jti, sub, sid } = payload;
  if (!isObject(membersOf(events)[EVENT]))
    throw refused('The token is not one of a logout: its "events" says so.');
  // An ID token must not be taken for one of a logout.
  if (Object.hasOwn(payload, 'nonce'))
    throw refused('The token has a "nonce", which one of a logout never has.');
  const subject = textOf(sub);
  const session = textOf(sid);
  if (typeof jti !== 'string' || jti === '') throw refused('The token has no usable "jti".');
  if (subject === undefined && session === undefined) throw refused('The token has neither "sub" nor "sid".');
  return { id: jti, subject, session };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Of the logins of these people. A key whose session is not known ends with any session of its person. */
function keysOf(keys: ResourceStore, people: ReadonlySet<string>, session: string | undefined): SessionKey[] {
  return loginKeys(keys).flatMap(({ name, user, uid }) => {
    const isEnded = session === undefined || (isOfSession(name, session) ?? true);
    return isEnded && people.has(user) ? [{ name, uid }] : [];
  });
}

/** The people with a key of this session. */
const usersWith = (keys: ResourceStore, session: string): ReadonlySet<string> =>
  new Set(loginKeys(keys).flatMap(({ name, user }) => (isOfSession(name, session) === true ? [user] : [])));

function loginKeys({ cache }: ResourceStore): (SessionKey & { readonly user: string })[] {
  return [...cache.latest().entries('')].flatMap((entry) => {
    if (!entry.name.startsWith(LOGIN_KEYS)) return [];
    const { metadata, spec } = asKind(OwnedAccessKey, entry.object());
    return [{ name: entry.name, uid: metadata.uid ?? '', user: spec?.user ?? '' }];
  });
}

const subjectsOf = ({ cache }: ResourceStore, people: ReadonlySet<string>): string[] =>
  [...people].flatMap((name) => asKind(User, cache.latest().get(name)?.object())?.spec?.subject ?? []);

/** The field of a key that says the subject may be changed by its holder. */
function usersOf({ cache }: ResourceStore, subject: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const entry of cache.latest().entries(''))
    if (asKind(User, entry.object()).spec?.subject === subject) found.add(entry.name);
  return found;
}
