import { fetchWith } from '../../../api/client/browser.js';
import { exchange } from '../../../api/client/transport.js';
import { errorOf, isOk, jsonOf, offline } from '../client/status.js';

/** The session of this browser. Scripts cannot read the cookie; the CSRF token is kept only in memory. */
interface Session {
  readonly user: string;
  /** The name of the Login key of the session. */
  readonly accessKey: string;
  /** The name of the access key that the user has logged in with, with which the session ends; empty: none. */
  readonly originKey: string;
  /** RFC 3339. */
  readonly expires: string;
}

/** The login methods besides access keys. */
export interface Logins {
  /** Login with an identity provider. */
  readonly providerLogin: boolean;
  /** Login with a token of the cluster that hosts the server. */
  readonly tokenLogin: boolean;
  /** Whether the server has the documentation at /docs/. */
  readonly docs: boolean;
  /** Of the server, such as 0.1.0. */
  readonly version: string;
  /** The name that the server was given; empty: none. */
  readonly serverName: string;
}

export interface SessionState extends Logins {
  /** Undefined: not known yet; null: no user is logged in. */
  readonly session: Session | null | undefined;
  /** The user whose session ended without a logout. What the user has typed is kept until the next login. */
  readonly ended?: string;
  /** A link has logged in, and the person has not said yet that they go on as this user. */
  readonly byLink?: boolean;
  /** Why the link in the address logged nobody in. */
  readonly linkRefused?: unknown;
  /** The code of an invitation in the address, until the person leaves its page. */
  readonly invitation?: string | undefined;
}

/** An older server sends no name, as one without a name. */
type AnsweredLogins = Omit<Logins, 'serverName'> & Partial<Pick<Logins, 'serverName'>>;

interface Answer extends Partial<Session>, AnsweredLogins {
  readonly user: string;
  readonly csrfToken?: string;
}

const PATH = '/console/session';
let state: SessionState = {
  session: undefined,
  providerLogin: false,
  tokenLogin: false,
  docs: false,
  version: '',
  serverName: '',
};
let csrf = '';
const listeners = new Set<() => void>();

/** What the server is called: the name that it was given, or the host of the address. */
export const serverName = (): string => state.serverName || window.location.host;
export const sessionState = (): SessionState => state;
export const csrfToken = (): string => csrf;

/** Whether the session ends with the access key of this name. */
export const isSessionKey = (name: string): boolean =>
  name !== '' && [state.session?.accessKey, state.session?.originKey].includes(name);

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function take(
  answer: Answer | ({ readonly user: null } & AnsweredLogins),
  { ended, byLink = false }: Pick<SessionState, 'ended' | 'byLink'> = {},
): void {
  const { providerLogin, tokenLogin, docs, version, serverName = '' } = answer;
  const { invitation } = state;
  const logins = {
    providerLogin,
    tokenLogin,
    docs,
    version,
    serverName,
    ...(invitation !== undefined && { invitation }),
  };
  if (answer.user === null) {
    csrf = '';
    state = { session: null, ...logins, ...(ended !== undefined && { ended }) };
  } else {
    const { user, accessKey = '', originKey = '', csrfToken: token = '', expires = '' } = answer;
    csrf = token;
    state = { session: { user, accessKey, originKey, expires }, ...logins, ...(byLink && { byLink }) };
  }
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

async function ask(method: string, body?: object, byLink = false): Promise<void> {
  const headers: Record<string, string> = csrf === '' ? {} : { 'X-CSRF-Token': csrf };
  const here = { server: '', fetch: fetchWith({ credentials: 'same-origin', headers }) };
  const response = await exchange(here, { method, path: PATH, body }).catch(() => Promise.reject(offline()));
  const answer = await jsonOf(response);
  if (!isOk(response) || answer === undefined) throw errorOf(response.status, answer);
  // An endpoint of the console itself, of the same version.
  take(answer as Answer, { byLink });
}

/** Reads the current session from the server. */
export const readSession = (): Promise<void> => ask('GET');

/**
 * The code of a link that logs in (`/console/#login=<code>`), or that invites. It leaves the address, which others may see or keep.
 */
function codeOfLink(): { readonly kind: string; readonly code: string } | undefined {
  const [whole, kind = '', code = ''] = /^#(login|invitation)=([\w-]+)$/.exec(window.location.hash) ?? [];
  if (whole === undefined) return undefined;
  window.history.replaceState(null, '', window.location.pathname);
  return { kind, code };
}

/**
 * Called when a tab opens: other tabs that wait for a login continue with this session. A link in the address logs in
 * where nobody is logged in: nobody's session is replaced by the link of somebody else. Whoever was sent a link sees as whom
 * it logs in before anything else.
 */
export async function beginSession(): Promise<void> {
  const link = codeOfLink();
  if (link?.kind === 'invitation') state = { ...state, invitation: link.code };
  await readSession();
  if (link?.kind === 'login' && state.session === null)
    await ask('POST', { link: link.code }, true).catch((linkRefused: unknown) => {
      state = { ...state, linkRefused };
      tell();
    });
  if (state.session && state.byLink !== true) tellOthers();
}

/** The person goes on as the user of the link. */
export function goOnByLink(): void {
  const { byLink: _byLink, ...rest } = state;
  state = rest;
  tell();
  tellOthers();
}

/** The page of the invitation is left. */
export function leaveInvitation(): void {
  const { invitation: _invitation, ...rest } = state;
  state = rest;
  tell();
}

/** Logs in with an access key, or with a token of the cluster. Rejects with ApiError. */
export async function logIn(accessKey: string): Promise<void> {
  await ask('POST', { accessKey });
  tellOthers();
}

/** Ends the session on the server, and so in every tab and browser that uses it. */
export async function logOut(): Promise<void> {
  try {
    await ask('DELETE');
  } finally {
    forgetSession();
    tellOthers();
  }
}

/** Drops the session in this tab, and everything that was kept for the user. */
export const forgetSession = (): void => take({ ...state, user: null });

/** The server does not accept the session any more. */
export function sessionEnded(): void {
  if (state.session) take({ ...state, user: null }, { ended: state.session.user });
}

/** The channel to other tabs of this browser. */
const others = typeof window === 'undefined' ? undefined : new BroadcastChannel('session');
const tellOthers = (): void => others?.postMessage('changed');
if (others) others.onmessage = () => void readSession().catch(() => undefined);
