/** The steps of a login. Clients return the sealed state; claims, which may be long, stay here until the person has answered. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseForm } from '../../apimachinery/options/query.js';
import type { LoginKey } from './accesskey.js';
import type { Accounts } from './account.js';
import { askingDevice, beginDevice, deviceOf, type DeviceLogin, type WaitingDevice } from './device.js';
import { identityOf } from './claims.js';
import type { Acceptance } from './invited.js';
import { LoginFailure, type LoginIdentity, type LoginSettings } from './interface.js';
import type { Provider } from './provider.js';
import type { LoginRefresh } from './refresh/loginrefresh.js';
import type { Seal } from './sealedcookie.js';
import type { ShortRecords } from './shortrecords.js';

const ATTEMPT_MS = 600_000;
const CODE_MS = 60_000;
const CONSENT_MS = 600_000;
/** Addresses, not names, which may lead elsewhere (RFC 8252, section 8.3). */
const LOOPBACK = ['127.0.0.1', '[::1]'];
const LONGEST_NAME = 60;
const LONGEST_STATE = 1024;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** A program on the person's machine that waits for the login, and proves that it is the one (RFC 8252, RFC 7636). */
export interface WaitingProgram {
  readonly redirectUri: string;
  /** S256 of its verifier. */
  readonly challenge: string;
  readonly state: string;
  /** The name that it gives itself, without proof; may be empty. */
  readonly name: string;
}

/** The question to the person before a waiting program gets a code, or a device a key. */
export interface Consent {
  readonly user: string;
  readonly identity: Pick<LoginIdentity, 'username' | 'email'>;
  readonly asks: Asking;
  /** For the form to bring back. */
  readonly ticket: string;
  /** A cookie that ties the form to the browser that showed it. */
  readonly cookie: string;
}

/** The program or device that waits for the login, or the invitation that it accepts. */
type Asking =
  | { readonly program: WaitingProgram }
  | { readonly device: WaitingDevice }
  | { readonly invitation: AcceptedInvitation };

export interface AcceptedInvitation {
  /** Sealed. */
  readonly code: string;
  /** The user name of its creator. */
  readonly invitedBy: string;
}

/** A browser that is logged in to the console needs no consent: the person has just begun the login in it. */
export type Beginning = Asking | { readonly console: true };

/** The URL for the browser, or the outcome for a device. */
export type Decided =
  | { readonly location: string }
  | { readonly device: WaitingDevice; readonly allowed: boolean }
  /** Of an invitation, with a key for a session of the browser; undefined: it was not accepted. */
  | { readonly accepted: Acceptance | undefined };

/** `console`: the key is for a session of the browser, and nobody receives it. */
export type Finished = { readonly key: LoginKey; readonly console: boolean } | { readonly consent: Consent };

interface Ticket {
  readonly id: string;
  readonly user: string;
  readonly asks: Asking;
  /** As in the cookie. The identity is kept by it. */
  readonly secret: string;
}

interface Attempt {
  readonly id: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly asks?: Beginning;
}

interface Code {
  readonly id: string;
  readonly user: string;
  readonly challenge: string;
  readonly secret: string;
}

export interface FlowParts {
  readonly settings: LoginSettings;
  readonly provider: Provider;
  readonly accounts: Accounts;
  /** The claims that group rules look at. */
  readonly ruleClaims: () => Iterable<string>;
  readonly seal: Seal;
  /** Undefined: the provider is not asked again. */
  readonly refreshes: Pick<LoginRefresh, 'sealed'> | undefined;
  /** Of logins that wait for their person. */
  readonly identities: Pick<ShortRecords<LoginIdentity>, 'set' | 'get'>;
  /** The URL to which the provider redirects browsers. */
  readonly callback: () => string;
  /** The page for devices; links append the sealed device. */
  readonly devicePage: () => string;
}

/** The program in the query; undefined: a person without a program. Throws LoginFailure 400. */
export function waitingProgram(query: URLSearchParams): WaitingProgram | undefined {
  const redirectUri = query.get('redirect_uri');
  if (redirectUri === null) return undefined;
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const plain = url !== undefined && `${url.search}${url.hash}${url.username}${url.password}` === '';
  if (!plain || url.protocol !== 'http:' || !LOOPBACK.includes(url.hostname))
    throw new LoginFailure(400, 'redirect_uri must be a loopback address such as http://127.0.0.1:8000/');
  const challenge = query.get('code_challenge') ?? '';
  if (!CHALLENGE.test(challenge) || (query.get('code_challenge_method') ?? 'S256') !== 'S256')
    throw new LoginFailure(400, 'code_challenge must be that of a verifier, by S256');
  const state = query.get('state') ?? '';
  if (state.length > LONGEST_STATE)
    throw new LoginFailure(400, `state must be at most ${LONGEST_STATE} characters`);
  return { redirectUri: url.href, challenge, state, name: shownName(query.get('client_name') ?? '') };
}

/** One line of printable characters, without control characters of text direction. */
const shownName = (name: string): string =>
  name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, LONGEST_NAME);

/** All reject with LoginFailure. */
export class LoginFlow {
  constructor(private readonly parts: FlowParts) {}

  /** `cookie`: for the browser to keep until it comes back. */
  async begin(asks: Beginning | undefined): Promise<{ readonly location: string; readonly cookie: string }> {
    const { provider, seal, callback } = this.parts;
    const attempt: Attempt = { id: random(), nonce: random(), verifier: random(), ...(asks && { asks }) };
    const location = await provider.authorizationUrl(callback(), { ...attempt, state: attempt.id });
    return { location, cookie: seal.seal('attempt', attempt, ATTEMPT_MS) };
  }

  /** `query`: of the redirect. Returns the key, or the question to the person for a waiting program or device. */
  async finish(query: string, cookie: string | undefined): Promise<Finished> {
    const { settings, provider, accounts, seal, callback } = this.parts;
    const attempt = seal.open<Attempt>('attempt', cookie ?? '');
    if (attempt === undefined)
      throw new LoginFailure(
        400,
        'This login was not begun in this browser, or took too long. Log in again.',
      );
    const parameters = parseForm(query);
    if (parameters.get('state') !== attempt.id)
      throw new LoginFailure(400, 'This answer belongs to another login. Log in again.');
    const url = new URL(`${callback()}?${parameters.toString()}`);
    const at = Date.now();
    const { claims, refreshToken } = await provider.redeem(url, { ...attempt, state: attempt.id });
    const refresh = refreshToken === undefined ? undefined : this.parts.refreshes?.sealed(refreshToken);
    const known = identityOf(claims, settings, this.parts.ruleClaims());
    const identity: LoginIdentity = { ...known, at, ...(refresh !== undefined && { refresh }) };
    const { id, asks } = attempt;
    const code = asks !== undefined && 'invitation' in asks ? asks.invitation.code : undefined;
    const user = await (code === undefined ? accounts.admit(identity) : accounts.invited(identity, code));
    if (asks === undefined || 'console' in asks)
      return { key: await accounts.createKey(user, identity, id), console: asks !== undefined };
    const secret = random();
    await this.parts.identities.set(secret, identity);
    const ticket: Ticket = { id, user, asks, secret };
    return {
      consent: {
        user,
        identity,
        asks,
        ticket: seal.seal('ticket', ticket, CONSENT_MS),
        cookie: seal.seal('consent', { secret }, CONSENT_MS),
      },
    };
  }

  /** The URL with the code or the refusal for a waiting program; a device fetches its key itself. */
  async decide(sealed: string, cookie: string | undefined, allowed: boolean): Promise<Decided> {
    const { accounts, seal } = this.parts;
    const ticket = seal.open<Ticket>('ticket', sealed);
    const secret = seal.open<Pick<Ticket, 'secret'>>('consent', cookie ?? '')?.secret;
    if (ticket === undefined || secret === undefined || ticket.secret !== secret)
      throw new LoginFailure(400, 'This page is not of this browser, or too old. Log in again.');
    const { id, user, asks } = ticket;
    if ('invitation' in asks) {
      if (!allowed) return { accepted: undefined };
      const identity = await this.waiting(ticket);
      return { accepted: await accounts.accept(identity, asks.invitation.code, id) };
    }
    if ('device' in asks) {
      if (allowed) await accounts.createKey(user, await this.admitted(ticket), asks.device.id, true);
      return { device: asks.device, allowed };
    }
    return { location: this.answerTo(asks.program, ticket, allowed) };
  }

  /** The key for the code of a waiting program; once. */
  async exchange(sealed: string, verifier: string): Promise<LoginKey> {
    const { accounts, seal } = this.parts;
    const code = seal.open<Code>('code', sealed);
    if (code === undefined || !matches(verifier, code.challenge))
      throw new LoginFailure(400, 'The code is not valid, or too old.', 'invalid_grant');
    return accounts.createKey(code.user, await this.admitted(code), code.id);
  }

  /** `name`: the name that the device gives itself; `from`: its address. */
  beginDevice(name: string, from: string): DeviceLogin {
    return beginDevice(this.parts.seal, { name: shownName(name), from }, this.parts.devicePage());
  }

  /** Throws LoginFailure 400. */
  deviceOf(link: string, userCode: string | undefined): WaitingDevice {
    return deviceOf(this.parts.seal, link, userCode);
  }

  /** The key, once; `authorization_pending` until the person has allowed it. */
  async pollDevice(code: string): Promise<LoginKey> {
    return this.parts.accounts.fetchKey(askingDevice(this.parts.seal, code));
  }

  /** The person of a login that was allowed. Throws LoginFailure 400. */
  private async waiting({ secret }: Pick<Ticket, 'secret'>): Promise<LoginIdentity> {
    const found = await this.parts.identities.get(secret);
    if (found?.content === undefined)
      throw new LoginFailure(400, 'This login is too old. Log in again.', 'invalid_grant');
    return found.content;
  }

  /** As {@link LoginFlow.waiting}, and only while the login is that of the user that the person was shown. */
  private async admitted(of: Pick<Ticket, 'secret' | 'user'>): Promise<LoginIdentity> {
    const identity = await this.waiting(of);
    if ((await this.parts.accounts.admit(identity)) === of.user) return identity;
    throw new LoginFailure(400, 'This login is of another user now. Log in again.', 'invalid_grant');
  }

  /** The URL with the code, or the refusal. */
  private answerTo(program: WaitingProgram, { id, user, secret }: Ticket, allowed: boolean): string {
    const location = new URL(program.redirectUri);
    const code: Code = { id, user, challenge: program.challenge, secret };
    if (allowed) location.searchParams.set('code', this.parts.seal.seal('code', code, CODE_MS));
    else location.searchParams.set('error', 'access_denied');
    if (!allowed) location.searchParams.set('error_description', 'the person did not allow it');
    location.searchParams.set('state', program.state);
    return location.href;
  }
}

const random = (): string => randomBytes(32).toString('base64url');

function matches(verifier: string, challenge: string): boolean {
  const own = createHash('sha256').update(verifier).digest();
  const wanted = Buffer.from(challenge, 'base64url');
  return own.length === wanted.length && timingSafeEqual(own, wanted);
}
