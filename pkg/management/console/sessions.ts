/** Beginning and ending browser sessions. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { KeyFingerprint } from '../../apimachinery/user.js';
import type { BrowserSession } from '../login/session.js';

/** The user of a credential that opens a session. */
export interface Shown {
  readonly user: string;
  /** When the credential ends, in ms since 1970; Infinity: never. */
  readonly expires: number;
  /** The credential of the session. */
  readonly by:
    | { readonly key: OwnedAccessKey; readonly origin: KeyFingerprint }
    /** A token of the host. */
    | { readonly token: string };
}

/** An open session and its user. */
export interface LiveSession {
  readonly session: BrowserSession;
  readonly user: string;
  /** When it ends, in ms since 1970. */
  readonly expires: number;
}

export interface ConsoleSessions {
  /** The longest life of a session, in seconds. */
  readonly lifeSeconds: number;
  /** Whether tokens of the host open a session, too. */
  readonly tokenLogin: boolean;
  /**
   * The user of an access key or a host token, or the reason why it opens no session, for people. `source`: the client
   * network, if known. Rejects with StatusError 429 after too many TokenReviews.
   */
  check(credential: string, source: string | undefined): Promise<Shown | { readonly refused: string }>;
  /** The same of a link, which is used by this. */
  checkLink(code: string): Promise<Shown | { readonly refused: string }>;
  /** The path of a link for the bearer of an access key, or the reason why there is none. Rejects as {@link check}. */
  makeLink(
    credential: string,
    source: string | undefined,
  ): Promise<{ readonly path: string; readonly lifeSeconds: number } | { readonly refused: string }>;
  /** Creates a Login key for the user. */
  begin(shown: Shown): Promise<NewSession>;
  /** For a Login key that an identity provider's login has made. */
  beginWith(key: { readonly name: string; readonly uid: string }, lifeSeconds: number): NewSession;
  /** The session of a cookie, if it still is one. */
  live(cookie: string | undefined): Promise<LiveSession | undefined>;
  /** Ends it on every server and in every browser. */
  end(session: Pick<BrowserSession, 'name' | 'uid'>): Promise<void>;
}

interface NewSession {
  readonly session: BrowserSession;
  /** For the browser to keep. */
  readonly cookie: string;
  readonly lifeSeconds: number;
}
