import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import { storeOf } from '../../../pkg/registry/generic/resourcestore.js';
import { fileURLToPath } from 'node:url';
import { isMeantAsKey } from '../../../pkg/apimachinery/accesskey.js';
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import { sessionAuthenticator, sessionEnd } from '../../../pkg/authentication/session/authenticator.js';
import { createSeal } from '../../../pkg/login/sealedcookie.js';
import type { BrowserSession } from '../../../pkg/login/session.js';
import { browserSessions, isCsrfToken } from '../../../pkg/login/session.js';
import { sessionKeys } from '../../../pkg/login/sessionkey.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import type { ConsoleFiles } from '../../../pkg/server/routes/console/files.js';
import { readConsole } from '../../../pkg/server/routes/console/files.js';
import type { ConsoleSessions } from '../../../pkg/server/routes/console/sessions.js';
import type { AccessKeys } from './accesskeys.js';

export interface ConsoleConfig {
  /** Undefined: there is no console. */
  readonly sessionSeconds: number | undefined;
}

export interface Console {
  readonly files: ConsoleFiles;
  readonly sessions: ConsoleSessions;
  /** Judges requests of sessions. */
  readonly authenticator: Authenticator;
}

export interface ConsoleParts {
  readonly config: ConsoleConfig;
  readonly registry: Registry;
  readonly accessKeys: Pick<AccessKeys, 'authenticator' | 'index' | 'lifetimes'>;
  readonly pepper: Buffer;
  /** Told that the console was not built with this server. */
  readonly notBuilt: (directory: string) => void;
}

/** Where the build puts it: beside the folders of the compiled server. */
const DIRECTORY = fileURLToPath(new URL('../../../console', import.meta.url));

/** Undefined where it is switched off, or was not built. */
export function openConsole({ notBuilt, ...parts }: ConsoleParts): Console | undefined {
  const { sessionSeconds } = parts.config;
  if (sessionSeconds === undefined) return undefined;
  const files = readConsole(DIRECTORY);
  if (files === undefined) {
    notBuilt(DIRECTORY);
    return undefined;
  }
  return { files, ...openSessions(parts, sessionSeconds) };
}

function openSessions(
  { registry, accessKeys, pepper }: Omit<ConsoleParts, 'notBuilt'>,
  lifeSeconds: number,
): Omit<Console, 'files'> {
  const store = storeOf(registry.stores, OwnedAccessKey);
  if (store === undefined) throw new Error('access keys are not served');
  const keys = store.cache;
  const { authenticator, index, lifetimes } = accessKeys;
  const cookies = browserSessions(createSeal(pepper));
  const made = sessionKeys(store);
  const holder = (name: string, again: boolean) => authenticator.named(name, again);
  const userOf = ({ name, origin }: BrowserSession): string | undefined => {
    const answer = holder(origin?.name ?? name, true);
    return answer.outcome === 'user' ? answer.user.name : undefined;
  };
  const sessions: ConsoleSessions = {
    lifeSeconds,
    judgeKey(key) {
      const answer = authenticator.authenticate(shown(key));
      const name = index.find(key);
      const object = name === undefined ? undefined : keys.latest().get(name)?.object();
      if (answer instanceof Promise || answer.outcome !== 'user' || object === undefined)
        return { refused: whyNot(key, answer) };
      const credential = { accessKey: object.metadata.name ?? '' };
      const origin = lifetimes.madeWith(credential);
      const expires = lifetimes.credentialEnd(credential, Date.now());
      if (origin === undefined) return { refused: 'Unauthorized' };
      return { object, user: answer.user.name, origin, expires };
    },
    async begin({ object, origin, expires }) {
      const rest = Math.floor((expires - Date.now()) / 1000);
      const seconds = Math.max(1, Math.min(lifeSeconds, rest));
      const key = await made.create(object, seconds);
      return { ...cookies.begin({ ...key, origin }, seconds), lifeSeconds: seconds };
    },
    beginWith(key, seconds) {
      const least = Math.min(lifeSeconds, seconds);
      return { ...cookies.begin(key, least), lifeSeconds: least };
    },
    live(cookie) {
      const session = cookie === undefined ? undefined : cookies.open(cookie);
      if (session === undefined) return undefined;
      const expires = sessionEnd({ keys, lifetimes }, session);
      const user = expires > Date.now() ? userOf(session) : undefined;
      return user === undefined ? undefined : { session, user, expires };
    },
    end: (session) => made.end(session),
  };
  return {
    sessions,
    authenticator: sessionAuthenticator({
      ...{ keys, holder, lifetimes },
      open: cookies.open,
      // It comes from `open`, which makes no other sessions.
      isCsrfToken: (session, token) => isCsrfToken(session as BrowserSession, token),
    }),
  };
}

/** As a request shows it. It is no use of the key: the session's own requests are. */
const shown = (key: string) => ({
  ...{ authorization: `Bearer ${key}`, certificate: undefined, rawHeaders: [] },
  again: true as const,
});

/** For the person: what may be wrong, and nothing that the key alone would tell. */
function whyNot(key: string, answer: unknown): string {
  const { outcome, message } = membersOf(answer);
  if (outcome === 'refused' && typeof message === 'string' && message !== 'Unauthorized') return message;
  return isMeantAsKey(key)
    ? 'this access key gives no access'
    : 'this is not an access key: log in with a key of an OwnedAccessKey object';
}
