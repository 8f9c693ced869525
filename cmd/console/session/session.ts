import { ApiError, errorOf, OFFLINE } from '../client/status.js';

/** The session of this browser. The cookie is out of reach of scripts; the CSRF token is kept in memory alone. */
export interface Session {
  readonly user: string;
  /** Name of the Login key that the session stands for. */
  readonly accessKey: string;
  /** RFC 3339. */
  readonly expires: string;
}

/** How people can log in, besides by access key. */
export interface Logins {
  /** With an identity provider. */
  readonly providerLogin: boolean;
  /** With a token of the cluster behind which the server stands. */
  readonly tokenLogin: boolean;
}

export interface SessionState extends Logins {
  /** Undefined: not asked yet; null: nobody is logged in. */
  readonly session: Session | null | undefined;
  /** Whose session ended without a logout: what they have typed waits until they log in again. */
  readonly ended?: string;
}

interface Answer extends Partial<Session>, Logins {
  readonly user: string;
  readonly csrfToken?: string;
}

const PATH = '/console/session';
let state: SessionState = { session: undefined, providerLogin: false, tokenLogin: false };
let csrf = '';
const listeners = new Set<() => void>();

export const sessionState = (): SessionState => state;
export const csrfToken = (): string => csrf;

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function take(answer: Answer | ({ readonly user: null } & Logins), ended?: string): void {
  const { providerLogin, tokenLogin } = answer;
  if (answer.user === null) {
    csrf = '';
    state = { session: null, providerLogin, tokenLogin, ...(ended !== undefined && { ended }) };
  } else {
    const { user, accessKey = '', csrfToken: token = '', expires = '' } = answer;
    csrf = token;
    state = { session: { user, accessKey, expires }, providerLogin, tokenLogin };
  }
  for (const listener of listeners) listener();
}

async function ask(method: string, body?: object): Promise<void> {
  const response = await fetch(PATH, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      ...(csrf !== '' && { 'X-CSRF-Token': csrf }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => Promise.reject(new ApiError(0, OFFLINE, '')));
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok || answer === undefined) throw errorOf(response.status, answer);
  // The console's own endpoint, of the same release.
  take(answer as Answer);
}

/** Who is logged in, as the server says. */
export const readSession = (): Promise<void> => ask('GET');

/** When a tab begins: others that wait for a login go on with that of this one. */
export async function beginSession(): Promise<void> {
  await readSession();
  if (state.session) tellOthers();
}

/** With an access key, or a token of the cluster. Rejects with ApiError. */
export async function logIn(accessKey: string): Promise<void> {
  await ask('POST', { accessKey });
  tellOthers();
}

/** Ends the session on the server, so in every tab and browser that has it. */
export async function logOut(): Promise<void> {
  try {
    await ask('DELETE');
  } finally {
    forgetSession();
    tellOthers();
  }
}

/** Nobody is logged in here, and nothing waits for anybody. */
export const forgetSession = (): void => take({ ...state, user: null });

/** The server knows the session no more. */
export function sessionEnded(): void {
  if (state.session) take({ ...state, user: null }, state.session.user);
}

/** Other tabs of this browser. */
const others = typeof window === 'undefined' ? undefined : new BroadcastChannel('session');
const tellOthers = (): void => others?.postMessage('changed');
if (others) others.onmessage = () => void readSession().catch(() => undefined);
