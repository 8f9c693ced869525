/** The providers of an `EncryptionConfiguration`: `aesgcm`, `secretbox`, `kms` of version 2 and `identity`. Pure. */
import { messageOf } from '../../apimachinery/caught.js';
import { parseDuration } from '../../apimachinery/options/duration.js';
import { aesGcm } from './aesgcm.js';
import { listOf, membersOf } from './configurationmembers.js';
import { KMS_SCHEMA, PROVIDER_SCHEMA, STATIC_KEYS } from './configurationschema.js';
import type { Transformer } from './interface.js';
import type { KmsProvider } from './kms/interface.js';
import { secretBox } from './secretbox.js';

/** Returns the transformers of a plug-in, at least one; the first encrypts. */
export type KmsLookup = (provider: KmsProvider) => readonly Transformer[];

/** The names that the file has used so far. A name stands for one secret, or one plug-in. */
export interface Known {
  /** Secrets, by the name of the key. */
  readonly secrets: Map<string, string>;
  /** Endpoints, by the name of the plug-in. */
  readonly plugins: Map<string, string>;
  readonly kms: KmsLookup;
}

const STATIC: Readonly<Record<string, (keyName: string, secret: Buffer) => Transformer>> = {
  aesgcm: aesGcm,
  secretbox: secretBox,
};
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Printable ASCII without colons, as a colon ends the name in a value. */
const KEY_NAME = /^[\x21-\x39\x3b-\x7e]{1,253}$/;
const DEFAULT_TIMEOUT_MS = 3_000;
const MAX_TIMEOUT_MS = 60_000;
const NS_PER_MS = 1_000_000n;

/**
 * The transformers of a provider; `identity` is one undefined. Throws Error, which names the position in the file, and
 * no secret.
 */
export function transformersOf(
  value: unknown,
  at: string,
  known: Known,
): readonly (Transformer | undefined)[] {
  const provider = membersOf(value, at);
  const [name = '', ...more] = Object.keys(provider);
  if (name === '' || more.length > 0) throw new Error(`${at}: it must have one provider`);
  if (name === 'identity') {
    membersOf(provider.identity ?? {}, `${at}.identity`, PROVIDER_SCHEMA.properties.identity);
    return [undefined];
  }
  if (name === 'kms') return known.kms(kmsProvider(provider.kms, `${at}.kms`, known.plugins));
  const make = Object.hasOwn(STATIC, name) ? STATIC[name] : undefined;
  if (make === undefined) {
    const why = name === 'aescbc' ? 'is not supported' : 'is no provider';
    throw new Error(
      `${at}: ${name} ${why}: use aesgcm, secretbox, kms or identity, or --encryption-key-file alone`,
    );
  }
  const { keys } = membersOf(provider[name], `${at}.${name}`, STATIC_KEYS);
  return listOf(keys, `${at}.${name}.keys`).map((key, index) =>
    staticKey(key, `${at}.${name}.keys[${index}]`, make, known.secrets),
  );
}

function staticKey(
  value: unknown,
  at: string,
  make: (keyName: string, secret: Buffer) => Transformer,
  secrets: Map<string, string>,
): Transformer {
  const { name, secret } = membersOf(value, at, STATIC_KEYS.properties.keys.items);
  if (typeof name !== 'string' || !KEY_NAME.test(name))
    throw new Error(`${at}.name: it must be a text without colons and spaces`);
  if (typeof secret !== 'string' || !BASE64.test(secret)) throw new Error(`${at}.secret: it must be base64`);
  if ((secrets.get(name) ?? secret) !== secret)
    throw new Error(`${at}.name: another key has the name ${name}, and another secret`);
  secrets.set(name, secret);
  try {
    return make(name, Buffer.from(secret, 'base64'));
  } catch (error) {
    throw new Error(`${at}.secret: ${messageOf(error)}`, { cause: error });
  }
}

function kmsProvider(value: unknown, at: string, plugins: Map<string, string>): KmsProvider {
  const { apiVersion = 'v1', name, endpoint, timeout } = membersOf(value, at, KMS_SCHEMA);
  if (apiVersion !== 'v2')
    throw new Error(`${at}.apiVersion: it must be v2, and is ${JSON.stringify(apiVersion)?.slice(0, 64)}`);
  if (typeof name !== 'string' || !KEY_NAME.test(name))
    throw new Error(`${at}.name: it must be a text without colons and spaces`);
  if (typeof endpoint !== 'string' || !/^unix:\/\/\/[^\s\0]{1,100}$/.test(endpoint))
    throw new Error(`${at}.endpoint: it must be a Unix socket, such as unix:///run/kms.sock`);
  if ((plugins.get(name) ?? endpoint) !== endpoint)
    throw new Error(`${at}.name: another plug-in has the name ${name}`);
  plugins.set(name, endpoint);
  return { name, endpoint, timeoutMs: timeoutOf(timeout, `${at}.timeout`) };
}

function timeoutOf(value: unknown, at: string): number {
  if (value === undefined) return DEFAULT_TIMEOUT_MS;
  try {
    const ms = Number(parseDuration(String(value)) / NS_PER_MS);
    if (ms > 0 && ms <= MAX_TIMEOUT_MS) return ms;
  } catch {
    // The error is the same as for a secret that is too long.
  }
  throw new Error(`${at}: it must be a duration of at most ${MAX_TIMEOUT_MS / 1000}s, such as 3s`);
}
