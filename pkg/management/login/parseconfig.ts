/** The file of `--login-config`. */
import { duration, httpsUrl, namePrefix } from '../../apimachinery/flagvalues.js';
import { checkConfigFile, inField, type ReadNamed } from '../../apimachinery/schema/configfile.js';
import { parseBundle } from '../../authentication/certificates/bundle.js';
import { DEFAULTS, LOGIN_CONFIG } from './configschema.js';
import type { LoginSettings } from './interface.js';

interface Mapping {
  readonly claim?: string;
  readonly prefix?: string;
}

interface LoginFile {
  readonly issuer: string;
  readonly clientID: string;
  readonly clientSecretFile?: string;
  readonly caFile?: string;
  readonly scopes?: readonly string[];
  readonly claimMappings?: { readonly username?: Mapping; readonly groups?: Mapping };
  readonly requiredClaims?: Readonly<Record<string, string>>;
  readonly linkVerifiedEmail?: boolean;
  readonly keyTTL?: string;
  readonly refreshInterval?: string;
}

/** Throws an Error that names the field that is wrong. */
export function parseLoginConfig(document: unknown, read: ReadNamed): LoginSettings {
  checkConfigFile<LoginFile>(document, LOGIN_CONFIG);
  return settingsOf(document, read);
}

function settingsOf(file: LoginFile, read: ReadNamed): LoginSettings {
  const { scopes = DEFAULTS.scopes, keyTTL = DEFAULTS.keyTTL } = file;
  const { username = {}, groups = {} } = file.claimMappings ?? {};
  const keyTtlMs = inField('keyTTL', () => duration(keyTTL));
  return {
    issuer: inField('issuer', () => issuerOf(file.issuer)),
    clientId: file.clientID,
    clientSecret: named('clientSecretFile', file, read, secretIn),
    authorities: named('caFile', file, read, (text) => parseBundle(text).pem),
    scopes: inField('scopes', () => withOpenid(scopes)),
    usernameClaim: username.claim ?? DEFAULTS.username,
    usernamePrefix: inField('claimMappings.username.prefix', () => usernamePrefix(username.prefix)),
    groupsClaim: groups.claim ?? DEFAULTS.groups,
    groupsPrefix: inField('claimMappings.groups.prefix', () => groupsPrefix(groups.prefix)),
    requiredClaims: file.requiredClaims ?? {},
    linkVerifiedEmail: file.linkVerifiedEmail ?? false,
    refreshMs: inField('refreshInterval', () => refreshMs(file.refreshInterval, keyTtlMs)),
    keyTtlSeconds: Math.floor(keyTtlMs / 1000),
  };
}

/** Where people of every tenant of Entra ID log in: whoever has a tenant would choose names, roles and addresses. */
const ANY_TENANT =
  /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(\/|$)/i;

function issuerOf(text: string): string {
  const url = httpsUrl(text);
  if (!ANY_TENANT.test(new URL(url).href)) return url;
  throw new Error(
    'people of any tenant log in there: name yours, https://login.microsoftonline.com/TENANT-ID/v2.0',
  );
}

/** What is in the file that a field names. */
function named(
  field: 'clientSecretFile' | 'caFile',
  { [field]: path }: LoginFile,
  read: ReadNamed,
  parse: (text: string) => string,
): string | undefined {
  return path === undefined ? undefined : inField(field, () => parse(read(path)));
}

function secretIn(text: string): string {
  const secret = text.trim();
  if (secret === '') throw new Error('it is empty: write the client secret to it');
  return secret;
}

function withOpenid(scopes: readonly string[]): readonly string[] {
  if (scopes.some((scope) => !/^[\x21-\x7e]+$/.test(scope)))
    throw new Error('they must be names without spaces');
  if (!scopes.includes('openid')) throw new Error('openid must be one of them');
  return scopes;
}

function refreshMs(interval: string | undefined, keyTtlMs: number): number | undefined {
  if (interval === undefined) return undefined;
  const ms = duration(interval);
  if (ms < 1_000) throw new Error('it must be at least 1s');
  if (ms >= keyTtlMs) throw new Error('it must be shorter than keyTTL, with which each login ends');
  return ms;
}

const usernamePrefix = (prefix = ''): string => (prefix === '' ? '' : namePrefix(prefix));

function groupsPrefix(prefix = ''): string {
  if (!/^[\x21-\x7e]{0,100}$/.test(prefix)) throw new Error('it must have no spaces');
  if (/^(system|management):/.test(prefix)) throw new Error('it must not begin with system: or management:');
  return prefix;
}
