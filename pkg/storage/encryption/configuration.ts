/**
 * Kubernetes' `EncryptionConfiguration` (`apiserver.config.k8s.io/v1`) as a keyring. Of its providers `aesgcm` and `identity`
 * are there. Errors name the place, and never a secret. Pure.
 */
import { createHash } from 'node:crypto';
import { aesGcm } from './aesgcm.js';
import { textOfHeader } from './envelope.js';
import type { Keyring, Transformer } from './interface.js';
import { readersOf } from './keyring.js';
import { groupsOf, matches } from './resourcepattern.js';
import { holdsSecrets } from './selection.js';

type Members = Readonly<Record<string, unknown>>;

/** For the resources that it names, the first provider writes and all read; undefined stands for `identity`. */
interface Rule {
  readonly patterns: readonly string[];
  readonly providers: readonly (Transformer | undefined)[];
}

const KNOWN_ELSEWHERE = ['aescbc', 'secretbox', 'kms'];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The first rule that names a resource counts. What holds secrets and is named by none, records of the server itself
 * among it, is encrypted by the first provider of the file that encrypts. Throws Error for what is not valid.
 *
 * @param further what also decrypts, such as the keys that were used before
 */
export function configuredKeyring(parsed: unknown, further: Iterable<Transformer> = []): Keyring {
  const rules = rulesOf(parsed);
  const all = rules.flatMap(({ providers }) => providers).filter((one) => one !== undefined);
  const unnamed = all[0];
  const readers = readersOf([...further, ...all]);
  const known = new Map<string, Rule | undefined>();
  const ruleOf = (key: string): Rule | undefined => {
    const resource = groupsOf(key);
    if (resource === undefined) return undefined;
    if (!known.has(resource))
      known.set(
        resource,
        rules.find(({ patterns }) => matches(patterns, resource)),
      );
    return known.get(resource);
  };
  return {
    writer(key) {
      const rule = ruleOf(key);
      if (rule !== undefined) return rule.providers[0];
      return holdsSecrets(key) ? unnamed : undefined;
    },
    reader: (header) => readers.get(header),
    plaintext(key) {
      const rule = ruleOf(key);
      // What holds no secret may be from before the rule; who writes to the store is trusted with it anyway.
      if (!holdsSecrets(key)) return true;
      return rule === undefined ? unnamed === undefined : rule.providers.includes(undefined);
    },
    writers: writersOf(rules, unnamed),
    readers: [...readers.keys()],
    rules: digestOf(rules),
  };
}

/** Of what each resource is written with. */
function digestOf(rules: readonly Rule[]): string {
  const hash = createHash('sha256');
  for (const { patterns, providers } of rules)
    hash.update(
      JSON.stringify([patterns, providers[0] === undefined ? 'identity' : textOfHeader(providers[0])]),
    );
  return hash.digest('base64url');
}

function writersOf(rules: readonly Rule[], unnamed: Transformer | undefined): Transformer[] {
  const first = rules.map(({ providers }) => providers[0]);
  return [...new Set([unnamed, ...first])].filter((one) => one !== undefined);
}

function rulesOf(parsed: unknown): Rule[] {
  const { apiVersion, kind, resources } = membersOf(parsed, 'the file', ['apiVersion', 'kind', 'resources']);
  if (kind !== 'EncryptionConfiguration' || apiVersion !== 'apiserver.config.k8s.io/v1')
    throw new Error('it must be an EncryptionConfiguration of apiserver.config.k8s.io/v1');
  const secrets = new Map<string, string>();
  return listOf(resources, 'resources').map((each, index) => {
    const at = `resources[${index}]`;
    const rule = membersOf(each, at, ['resources', 'providers']);
    const providers = listOf(rule.providers, `${at}.providers`);
    return {
      patterns: patternsOf(rule.resources, `${at}.resources`),
      providers: providers.flatMap((one, nth) => transformersOf(one, `${at}.providers[${nth}]`, secrets)),
    };
  });
}

function patternsOf(value: unknown, at: string): string[] {
  const patterns = listOf(value, at).map((pattern) => {
    if (
      typeof pattern === 'string' &&
      /^(\*|[a-z0-9-]+)(\.(\*|[a-z0-9.-]*))?$/.test(pattern) &&
      pattern !== '*'
    )
      return pattern;
    throw new Error(
      `${at}: ${JSON.stringify(pattern)} is no resource: give secrets, sharedsecrets.management.svc.example, *.<group>, *. or *.*`,
    );
  });
  if (patterns.includes('*.*') && patterns.length > 1)
    throw new Error(`${at}: *.* stands alone, as it names all`);
  return patterns;
}

/** `identity` is one undefined. `secrets`: of all keys by provider and name, as a name stands for one secret. */
function transformersOf(
  value: unknown,
  at: string,
  secrets: Map<string, string>,
): (Transformer | undefined)[] {
  const provider = membersOf(value, at);
  const [name = '', ...more] = Object.keys(provider);
  if (name === '' || more.length > 0) throw new Error(`${at}: it must have one provider`);
  if (name === 'identity') {
    membersOf(provider.identity ?? {}, `${at}.identity`, []);
    return [undefined];
  }
  if (name !== 'aesgcm') {
    const why = KNOWN_ELSEWHERE.includes(name) ? 'is not supported by this release' : 'is no provider';
    throw new Error(`${at}: ${name} ${why}: use aesgcm or identity, or --encryption-key-file alone`);
  }
  const { keys } = membersOf(provider.aesgcm, `${at}.aesgcm`, ['keys']);
  return listOf(keys, `${at}.aesgcm.keys`).map((key, index) =>
    aesGcmKey(key, `${at}.aesgcm.keys[${index}]`, secrets),
  );
}

function aesGcmKey(value: unknown, at: string, secrets: Map<string, string>): Transformer {
  const { name, secret } = membersOf(value, at, ['name', 'secret']);
  if (typeof name !== 'string' || !/^[\x21-\x39\x3b-\x7e]{1,253}$/.test(name))
    throw new Error(`${at}.name: it must be a text without colons and spaces`);
  if (typeof secret !== 'string' || !BASE64.test(secret)) throw new Error(`${at}.secret: it must be base64`);
  if ((secrets.get(name) ?? secret) !== secret)
    throw new Error(`${at}.name: another key has the name ${name}, and another secret`);
  secrets.set(name, secret);
  try {
    return aesGcm(name, Buffer.from(secret, 'base64'));
  } catch (error) {
    throw new Error(`${at}.secret: ${(error as Error).message}`, { cause: error });
  }
}

/** @param allowed absent: any members */
function membersOf(value: unknown, at: string, allowed?: readonly string[]): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${at}: it must be an object`);
  const unknown = Object.keys(value).find((name) => allowed?.includes(name) === false);
  if (unknown !== undefined)
    throw new Error(`${at}: there is no member ${JSON.stringify(unknown.slice(0, 64))}`);
  return value as Members;
}

function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new Error(`${at}: it must be a list that is not empty`);
  return value;
}
