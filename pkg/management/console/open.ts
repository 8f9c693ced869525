import type { KeyObject } from 'node:crypto';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { servedStore } from '../../registry/resourcestore.js';
import { fileURLToPath } from 'node:url';
import type { KeyFingerprint } from '../../apimachinery/user.js';
import { sameJson } from '../../registry/object/metadata.js';
import { projectKeyOf } from '../sharing/rights.js';
import { isMeantAsKey } from '../accesskeys/accesskey.js';
import type { Authenticator } from '../../authentication/interface.js';
import { bearerOf, sessionAuthenticator, sessionEnd } from './authenticator.js';
import { createSeal } from '../login/sealedcookie.js';
import type { UsedLogins } from '../login/usedlogins.js';
import { browserSessions, isCsrfToken, type BrowserSession } from '../login/session.js';
import { sessionKeys } from '../login/sessionkey.js';
import type { ResourceCache } from '../../cache/interface.js';
import type { Registry } from '../../registry/registry.js';
import { readConsole, type ConsoleFiles } from './files.js';
import type { ConsoleSessions, Shown } from './sessions.js';
import type { AccessKeys } from '../openaccesskeys.js';
import { linkPath, openLink, useOf } from './links.js';

export interface Console {
  readonly files: ConsoleFiles;
  readonly sessions: ConsoleSessions;
  /** Authenticates requests of sessions. */
  readonly authenticator: Authenticator;
}

export interface ConsoleParts {
  readonly isServed: boolean;
  readonly registry: Registry;
  readonly accessKeys: Pick<AccessKeys, 'authenticator' | 'index' | 'lifetimes'>;
  readonly pepper: KeyObject;
  readonly usedLogins: Pick<UsedLogins, 'use'>;
  /** Authenticates only tokens of the host; absent: there is no host. */
  readonly hostTokens?: Authenticator | undefined;
  /** Called if the console was not built with this server. */
  readonly notBuilt: (directory: string) => void;
}

/** The longest life of a session. It also ends with the access key of its login. */
const LIFE_SECONDS = 8 * 3600;
/** The life of a link that a client has asked for: it opens the browser at once. */
const LINK_SECONDS = 60;

/** The output of the build, beside the folders of the compiled server. */
const DIRECTORY = fileURLToPath(new URL('../../../console', import.meta.url));

/** Undefined if it is disabled or was not built. */
export function openConsole({ isServed, notBuilt, ...parts }: ConsoleParts): Console | undefined {
  if (!isServed) return undefined;
  const files = readConsole(DIRECTORY);
  if (files === undefined) {
    notBuilt(DIRECTORY);
    return undefined;
  }
  return { files, ...openSessions(parts) };
}

function openSessions({
  registry,
  accessKeys,
  pepper,
  usedLogins,
  hostTokens,
}: Omit<ConsoleParts, 'isServed' | 'notBuilt'>): Omit<Console, 'files'> {
  const store = servedStore(registry.stores, OwnedAccessKey);
  const keys = store.cache;
  const { authenticator, lifetimes } = accessKeys;
  const seal = createSeal(pepper);
  const cookies = browserSessions(seal);
  const made = sessionKeys(store);
  const holder = (name: string, again: boolean) => authenticator.named(name, again);
  const userOf = async ({ name, origin, token }: BrowserSession): Promise<string | undefined> => {
    const answer =
      token === undefined
        ? holder(origin?.name ?? name, true)
        : await bearerOf({ hostTokens }, token, undefined);
    return answer.outcome === 'user' ? answer.user.name : undefined;
  };
  const sessions: ConsoleSessions = {
    lifeSeconds: LIFE_SECONDS,
    tokenLogin: hostTokens !== undefined,
    async check(credential, source) {
      const key = checkKey(accessKeys, keys, credential);
      if (hostTokens === undefined || isMeantAsKey(credential)) return key;
      return 'refused' in key ? checkToken(hostTokens, credential, source) : key;
    },
    async checkLink(code) {
      const link = openLink(seal, code);
      if (link === undefined) return { refused: LINK_OVER };
      const found = checkOrigin(accessKeys, keys, link.origin);
      // What logs nobody in leaves no record.
      return 'refused' in found || (await usedLogins.use(useOf(link))) ? found : { refused: LINK_OVER };
    },
    async makeLink(credential, source) {
      const found = await sessions.check(credential, source);
      if ('refused' in found) return found;
      if (!('key' in found.by)) return { refused: 'links are for the bearers of access keys' };
      return { path: linkPath(seal, found.by.origin, LINK_SECONDS * 1000), lifeSeconds: LINK_SECONDS };
    },
    async begin({ user, by, expires }) {
      const rest = Math.floor((expires - Date.now()) / 1000);
      const seconds = Math.max(1, Math.min(LIFE_SECONDS, rest));
      const isKey = 'key' in by;
      const key = await (isKey ? made.create(by.key, seconds) : made.createOfToken(user, seconds));
      const acts = isKey ? { origin: by.origin } : { token: by.token };
      return { ...cookies.begin({ ...key, ...acts }, seconds), lifeSeconds: seconds };
    },
    beginWith(key, seconds) {
      const least = Math.min(LIFE_SECONDS, seconds);
      return { ...cookies.begin(key, least), lifeSeconds: least };
    },
    async live(cookie) {
      const session = cookie === undefined ? undefined : cookies.open(cookie);
      if (session === undefined) return undefined;
      const expires = sessionEnd({ keys, lifetimes }, session);
      const user = expires > Date.now() ? await userOf(session) : undefined;
      return user === undefined ? undefined : { session, user, expires };
    },
    end: (session) => made.end(session),
  };
  return {
    sessions,
    authenticator: sessionAuthenticator({
      keys,
      holder,
      lifetimes,
      hostTokens,
      open: cookies.open,
      // The session comes from `open`, which creates only sessions of this type.
      isCsrfToken: (session, token) => isCsrfToken(session as BrowserSession, token),
    }),
  };
}

type Checked = Shown | { readonly refused: string };
type Keys = Pick<ResourceCache<OwnedAccessKey>, 'latest'>;

const FOR_PROGRAMS = 'a key of a project is for programs: log in with an access key of your own';
const LINK_OVER = 'this link was used before, or is too old: make another with "platform console"';

function checkKey(
  { authenticator, index, lifetimes }: ConsoleParts['accessKeys'],
  keys: Keys,
  key: string,
): Checked {
  const answer = authenticator.authenticate(shown(key));
  const name = index.find(key);
  const object = name === undefined ? undefined : keys.latest().get(name)?.object();
  if (answer instanceof Promise || answer.outcome !== 'user' || object === undefined)
    return { refused: whyNot(key, answer) };
  if (projectKeyOf(answer.user.name) !== undefined) return { refused: FOR_PROGRAMS };
  const credential = { accessKey: object.metadata.name ?? '' };
  const origin = lifetimes.madeWith(credential);
  const expires = lifetimes.credentialEnd(credential, Date.now());
  if (origin === undefined) return { refused: 'Unauthorized' };
  return { user: answer.user.name, expires, by: { key: object, origin } };
}

/** The key of a link may have been rotated, replaced or ended since. */
function checkOrigin(
  { authenticator, lifetimes }: ConsoleParts['accessKeys'],
  keys: Keys,
  origin: KeyFingerprint,
): Checked {
  const credential = { accessKey: origin.name };
  const now = lifetimes.madeWith(credential);
  const key = keys.latest().get(origin.name)?.object();
  const answer = authenticator.named(origin.name, true);
  if (key === undefined || answer.outcome !== 'user' || !sameJson(now, origin)) return { refused: LINK_OVER };
  const expires = lifetimes.credentialEnd(credential, Date.now());
  return { user: answer.user.name, expires, by: { key, origin } };
}

/** Browsers accept cookies of 4,096 bytes, and the token is sealed in one. */
const LONGEST_TOKEN = 2_600;

async function checkToken(
  hostTokens: Authenticator,
  token: string,
  source: string | undefined,
): Promise<Checked> {
  if (Buffer.byteLength(token) > LONGEST_TOKEN)
    return {
      refused: `a token that opens a session has at most ${LONGEST_TOKEN} bytes: log in with an access key`,
    };
  const answer = await bearerOf({ hostTokens }, token, source);
  if (answer.outcome !== 'user')
    return { refused: 'this is neither an access key of this server nor a token that the cluster accepts' };
  const { user, expires = Infinity } = answer;
  return { user: user.name, expires: Math.min(expires, user.credential?.expires ?? Infinity), by: { token } };
}

/**
 * The credentials as in a request. This is not counted as a use of the key, as the session's own requests
 * are.
 */
const shown = (key: string) => ({
  authorization: `Bearer ${key}`,
  certificate: undefined,
  rawHeaders: [],
  again: true as const,
});

/** For users: the possible reason, without details that only the key would reveal. */
function whyNot(key: string, answer: unknown): string {
  const { outcome, message } = membersOf(answer);
  if (outcome === 'refused' && typeof message === 'string' && message !== 'Unauthorized') return message;
  return isMeantAsKey(key)
    ? 'this access key gives no access'
    : 'this is not an access key: log in with a key of an OwnedAccessKey object';
}
