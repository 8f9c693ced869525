/** The identity provider, spoken to with `openid-client`, which is loaded when the first person logs in. */
import type * as OpenidClient from 'openid-client';
import type {
  ClientAuth,
  Configuration,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
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
  /** Undefined: the provider has ended what the refresh token stands for. */
  refresh(token: string): Promise<Refreshed | undefined>;
}

interface Redeemed {
  readonly claims: Claims;
  /** Absent: there is none. */
  readonly refreshToken: string | undefined;
}

export interface Refreshed {
  /** Replaces the one before, which may not work again. Absent: there is no other. */
  readonly refreshToken: string | undefined;
  /** Who the person is now. Undefined: the provider says nothing of it. Rejects as the methods of a {@link Provider}. */
  claims(): Promise<Claims | undefined>;
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
        throw failureOfDiscovery(error);
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
  const { scopes, usernameClaim, groupsClaim, linkVerifiedEmail, requiredClaims } = settings;
  const scope = scopes.join(' ');
  const always = [usernameClaim, groupsClaim, 'name', 'email', ...(linkVerifiedEmail ? [VERIFIED] : [])];
  const asked = asking(settings);
  const needed = (): string[] => [...always, ...Object.keys(requiredClaims), ...ruleClaims()];
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
        const claims = await claimsOf(client, configuration, tokens, needed());
        if (claims === undefined) throw new LoginFailure(502, 'The identity provider sent no ID token.');
        return { claims, refreshToken: tokens.refresh_token };
      }),
    refresh: (token) =>
      asked(async (client, configuration) => {
        const tokens = await client.refreshTokenGrant(configuration, token).catch(undefinedIfEnded);
        return (
          tokens && {
            refreshToken: tokens.refresh_token,
            claims: () => asked(() => claimsOf(client, configuration, tokens, needed())),
          }
        );
      }),
  };
}

/** Refusals of this server, or of the moment, which say nothing of the person. */
const NOT_OF_THE_PERSON: readonly unknown[] = [
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
  'slow_down',
  'server_error',
];

function undefinedIfEnded(error: unknown): undefined {
  const { error: code } = membersOf(error);
  if (typeof code !== 'string' || NOT_OF_THE_PERSON.includes(code) || isOfTheMoment(error)) throw error;
}

/** Whether an answer has a status that another attempt may not have. */
function isOfTheMoment(error: unknown): boolean {
  const { status, cause } = membersOf(error);
  const code = typeof status === 'number' ? status : membersOf(cause).status;
  return typeof code === 'number' && (code >= 500 || code === 429);
}

/** The claims of the ID token, completed by those of the user info; undefined: there is none. */
async function claimsOf(
  client: Client,
  configuration: Configuration,
  tokens: Tokens,
  needed: readonly string[],
): Promise<Claims | undefined> {
  const claims = tokens.claims();
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
  if (claims === undefined || endpoint === undefined || hasAll(claims, needed)) return claims;
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
  const metadata = found.serverMetadata();
  if (metadata.authorization_endpoint === undefined)
    throw new LoginFailure(502, 'The configured issuer has no login for people: no authorization_endpoint.');
  if (clientSecret === undefined) return checkingSignatures(client, found);
  // A provider without the member supports Basic (OpenID Connect Discovery 1.0, section 3).
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_basic')
    ? basic(clientId, clientSecret)
    : client.ClientSecretPost(clientSecret);
  const configuration = new client.Configuration(metadata, clientId, undefined, authentication);
  return checkingSignatures(client, Object.assign(configuration, fetching));
}

/**
 * HTTP Basic (RFC 6749, section 2.3.1). Characters that need no encoding have none, as there are providers that do not decode:
 * `openid-client` encodes the hyphens and dots of every client ID of Google.
 */
function basic(clientId: string, secret: string): ClientAuth {
  const pair = [clientId, secret].map((text) => encodeURIComponent(text).replaceAll('%20', '+')).join(':');
  const credentials = `Basic ${Buffer.from(pair).toString('base64')}`;
  return (_server, _client, _body, headers) => headers.set('authorization', credentials);
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
  if (isOfTheMoment(error)) return unreachable(error);
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

/** Tells the issuer that the provider says it is, if that is another one. */
function failureOfDiscovery(error: unknown): LoginFailure {
  if (error instanceof LoginFailure) return error;
  const { code, cause } = membersOf(error);
  const { issuer } = membersOf(membersOf(cause).body);
  if (code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' || typeof issuer !== 'string')
    return unreachable(error);
  const says = JSON.stringify(issuer.slice(0, 200));
  return new LoginFailure(
    502,
    `The identity provider says that it is the issuer ${says}, not the configured one.`,
  );
}

const unreachable = (cause: unknown): LoginFailure =>
  new LoginFailure(502, 'The identity provider cannot be reached.', 'temporarily_unavailable', { cause });
