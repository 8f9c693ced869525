/** Beginning and ending browser sessions. */
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { KeyFingerprint } from '../../../apimachinery/user.js';
import type { BrowserSession } from '../../../login/session.js';

/** Who holds an access key that is shown, as far as a session needs. */
export interface ShownKey {
  /** The key's object. */
  readonly object: OwnedAccessKey;
  readonly user: string;
  readonly origin: KeyFingerprint;
  /** When it ends, in ms since 1970; Infinity: never. */
  readonly expires: number;
}

/** A session that goes on, and whose it is. */
export interface LiveSession {
  readonly session: BrowserSession;
  readonly user: string;
  /** When it ends, in ms since 1970. */
  readonly expires: number;
}

export interface ConsoleSessions {
  /** The longest life of a session, in seconds. */
  readonly lifeSeconds: number;
  /** Undefined, or why not: for people. */
  judgeKey(key: string): ShownKey | { readonly refused: string };
  /** Makes a Login key for whoever holds the key that was shown. */
  begin(shown: ShownKey): Promise<NewSession>;
  /** For a Login key that an identity provider's login has made. */
  beginWith(key: { readonly name: string; readonly uid: string }, lifeSeconds: number): NewSession;
  /** The session of a cookie, if it still is one. */
  live(cookie: string | undefined): LiveSession | undefined;
  /** Ends it on every server and in every browser. */
  end(session: Pick<BrowserSession, 'name' | 'uid'>): Promise<void>;
}

export interface NewSession {
  readonly session: BrowserSession;
  /** For the browser to keep. */
  readonly cookie: string;
  readonly lifeSeconds: number;
}
