/** The identity provider, spoken to with `openid-client`, which is loaded when the first person logs in. */
import type * as OpenidClient from 'openid-client';
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { claimNamed } from '../grouprules/claims.js';
import { fetchTrusting } from './fetch.js';
import { LoginFailure, type Claims, type LoginSettings } from './interface.js';

/** The provider's metadata are cached for this time. */
const KNOWN_MS = 3_600_000;

/** Ties a response of the provider to its request. */
interface Binding {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
}

/** All reject with LoginFailure: 502 if the provider cannot be reached. */
export interface Provider {
  /** The URL for the browser. */
  authorizationUrl(redirectUri: string, binding: Binding): Promise<string>;
  /** `url`: the whole URL of the redirect. 400 for a response that does not match the request. */
  redeem(url: URL, binding: Binding): Promise<Redeemed>;
  /** Who the person is now. Undefined: the provider has ended what the refresh token stands for. */
  refresh(token: string, subject: string): Promise<Redeemed | undefined>;
}

interface Redeemed {
  readonly claims: Claims;
  /** Replaces the one before. Absent: there is none, or no other. */
  readonly refreshToken: string | undefined;
}

type Client = typeof OpenidClient;
type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

type Asking = <T>(ask: (client: Client, configuration: Configuration) => Promise<T>) => Promise<T>;

/** Asks the provider, whose metadata are fetched where they are not known. All errors become LoginFailure. */
function asking(settings: LoginSettings): Asking {
  let found: { readonly at: number; readonly configuration: Promise<Configuration> } | undefined;
  const known = async (client: Client): Promise<Configuration> => {
    if (found === undefined || Date.now() - found.at > KNOWN_MS) {
      const configuration = discover(client, settings).catch((error: unknown) => {
        throw unreachable(error);
      });
      found = { at: Date.now(), configuration };
      configuration.catch(() => (found = undefined));
    }
    return found.configuration;
  };
  return async (ask) => {
    try {
      const client = await import('openid-client');
      return await ask(client, await known(client));
    } catch (error) {
      throw error instanceof LoginFailure ? error : failureOf(error);
    }
  };
}

/** `ruleClaims`: the claims that group rules look at. */
export function openProvider(
  settings: LoginSettings,
  ruleClaims: () => Iterable<string> = () => [],
): Provider {
  const { scopes, usernameClaim, groupsClaim, linkVerifiedEmail } = settings;
  const scope = scopes.join(' ');
  const always = [usernameClaim, groupsClaim, 'name', 'email', ...(linkVerifiedEmail ? [VERIFIED] : [])];
  const asked = asking(settings);
  const identified = async (
    client: Client,
    configuration: Configuration,
    tokens: Tokens,
    subject?: string,
  ): Promise<Redeemed> => {
    const claims = await claimsOf(client, configuration, tokens, {
      needed: [...always, ...ruleClaims()],
      subject,
    });
    return { claims, refreshToken: tokens.refresh_token };
  };
  return {
    authorizationUrl: (redirectUri, { state, nonce, verifier }) =>
      asked(async (client, configuration) => {
        const challenge = await client.calculatePKCECodeChallenge(verifier);
        const url = client.buildAuthorizationUrl(configuration, {
          scope,
          state,
          nonce,
          redirect_uri: redirectUri,
          response_type: 'code',
          code_challenge: challenge,
          code_challenge_method: 'S256',
        });
        return url.href;
      }),
    redeem: (url, { state, nonce, verifier }) =>
      asked(async (client, configuration) => {
        const tokens = await client.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        return identified(client, configuration, tokens);
      }),
    refresh: (token, subject) =>
      asked(async (client, configuration) => {
        const tokens = await client.refreshTokenGrant(configuration, token).catch(undefinedIfEnded);
        return tokens && identified(client, configuration, tokens, subject);
      }),
  };
}

/** Other refusals are of this server, such as a client secret that was changed. */
function undefinedIfEnded(error: unknown): undefined {
  if (membersOf(error).error !== 'invalid_grant') throw error;
}

/**
 * The claims of the ID token, completed by those of the user info. The answer to a refresh may have no ID token: then
 * `subject` says whose they must be.
 */
async function claimsOf(
  client: Client,
  configuration: Configuration,
  tokens: Tokens,
  { needed, subject }: { readonly needed: readonly string[]; readonly subject: string | undefined },
): Promise<Claims> {
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
  const known = subject === undefined || endpoint === undefined ? undefined : { sub: subject };
  const claims = tokens.claims() ?? known;
  if (claims === undefined) throw new LoginFailure(502, 'The identity provider sent no ID token.');
  if (endpoint === undefined || hasAll(claims, needed)) return claims;
  return completed(claims, await client.fetchUserInfo(configuration, tokens.access_token, claims.sub));
}

const VERIFIED = 'email_verified';

const hasAll = (claims: Claims, names: readonly string[]): boolean =>
  names.every((name) => claimNamed(claims, name) !== undefined);

/** Claims of an ID token with those of the user info that it lacks. What was verified is the address beside it. */
export function completed(token: Claims, info: Readonly<Record<string, unknown>>): Claims {
  const verified = (token.email === undefined ? info : token)[VERIFIED];
  const same = token.email === info.email ? info[VERIFIED] : undefined;
  return { ...info, ...token, [VERIFIED]: verified ?? same };
}

async function discover(client: Client, settings: LoginSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret, authorities } = settings;
  const fetching = authorities === undefined ? {} : { [client.customFetch]: fetchTrusting(authorities) };
  const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), fetching);
  if (clientSecret === undefined) return checkingSignatures(client, found);
  const metadata = found.serverMetadata();
  // A provider without the member supports Basic (OpenID Connect Discovery 1.0, section 3).
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_basic')
    ? client.ClientSecretBasic
    : client.ClientSecretPost;
  const configuration = new client.Configuration(metadata, clientId, undefined, authentication(clientSecret));
  return checkingSignatures(client, Object.assign(configuration, fetching));
}

/** The ID token is signed by the provider's keys, whatever stands between it and this server. */
function checkingSignatures(client: Client, configuration: Configuration): Configuration {
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Errors of `openid-client` about the content of a response, not about the connection. */
function failureOf(error: unknown): LoginFailure {
  const { error: code, code: kind } = membersOf(error);
  const options = { cause: error };
  if (code === 'access_denied')
    return new LoginFailure(403, 'The identity provider did not let you in.', code, options);
  if (typeof code === 'string')
    return new LoginFailure(
      400,
      `The identity provider refuses the login: ${code}.`,
      'invalid_grant',
      options,
    );
  if (typeof kind === 'string' && kind.startsWith('OAUTH_') && kind !== 'OAUTH_TIMEOUT')
    return new LoginFailure(
      400,
      'The answer of the identity provider is not valid.',
      'invalid_grant',
      options,
    );
  return unreachable(error);
}

const unreachable = (cause: unknown): LoginFailure =>
  new LoginFailure(502, 'The identity provider cannot be reached.', 'temporarily_unavailable', { cause });
