/** Kubernetes' `EncryptionConfiguration` (`apiserver.config.k8s.io/v1`) as a keyring. Errors name the place, and never a secret. Pure. */
import { createHash } from 'node:crypto';
import { listOf, membersOf } from './configurationmembers.js';
import {
  CONFIGURATION_KIND,
  CONFIGURATION_VERSION,
  ENCRYPTION_CONFIGURATION,
  ENCRYPTION_RULE_SCHEMA,
} from './configurationschema.js';
import { textOfHeader } from './envelope.js';
import type { Keyring, Transformer } from './interface.js';
import type { UsedProvider } from './kms/plugins.js';
import { readersOf } from './keyring.js';
import { notMade } from './kms/transformers.js';
import type { Known, KmsLookup } from './providers.js';
import { transformersOf } from './providers.js';
import { groupsOf, matches } from './resourcepattern.js';
import { holdsSecrets } from './selection.js';

/** For the resources that it names, the first provider writes and all read; undefined stands for `identity`. */
interface Rule {
  readonly patterns: readonly string[];
  readonly providers: readonly (Transformer | undefined)[];
}

/** For who only judges the file. */
const UNASKED: KmsLookup = (provider) => [notMade(provider)];

/**
 * The first rule that names a resource counts. What holds secrets and is named by none, records of the server itself
 * among it, is encrypted by the first provider of the file that encrypts. Throws Error for what is not valid.
 *
 * @param further what also decrypts, such as the keys that were used before
 * @param kms answers what encrypts with the keys of a plug-in, at least one, the first of which writes
 */
export function configuredKeyring(
  parsed: unknown,
  further: Iterable<Transformer> = [],
  kms: KmsLookup = UNASKED,
): Keyring {
  const rules = rulesOf(parsed, kms);
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

/** The plug-ins that the file names. Throws Error for what is not valid. */
export function kmsProvidersOf(parsed: unknown): readonly UsedProvider[] {
  const found = new Map<string, UsedProvider>();
  const writers = new Set<string>();
  const standIns = new Map<string, Transformer>();
  const keyring = configuredKeyring(parsed, [], (provider) => {
    const standIn = standIns.get(provider.name) ?? notMade(provider);
    standIns.set(provider.name, standIn);
    found.set(provider.name, { ...provider, writes: false });
    return [standIn];
  });
  for (const [name, standIn] of standIns) if (keyring.writers.includes(standIn)) writers.add(name);
  return [...found.values()].map((provider) => ({ ...provider, writes: writers.has(provider.name) }));
}

function rulesOf(parsed: unknown, kms: KmsLookup): Rule[] {
  const { apiVersion, kind, resources } = membersOf(parsed, 'the file', ENCRYPTION_CONFIGURATION);
  if (kind !== CONFIGURATION_KIND || apiVersion !== CONFIGURATION_VERSION)
    throw new Error(`it must be an ${CONFIGURATION_KIND} of ${CONFIGURATION_VERSION}`);
  const known: Known = { secrets: new Map(), plugins: new Map(), kms };
  return listOf(resources, 'resources').map((each, index) => {
    const at = `resources[${index}]`;
    const rule = membersOf(each, at, ENCRYPTION_RULE_SCHEMA);
    const providers = listOf(rule.providers, `${at}.providers`);
    return {
      patterns: patternsOf(rule.resources, `${at}.resources`),
      providers: providers.flatMap((one, nth) => transformersOf(one, `${at}.providers[${nth}]`, known)),
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
