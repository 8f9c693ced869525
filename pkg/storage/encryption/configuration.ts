/**
 * Builds a keyring from an `EncryptionConfiguration` of Kubernetes (`apiserver.config.k8s.io/v1`). Errors name the
 * position in the file, and never a secret. Pure.
 */
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
import { transformersOf, type Known, type KmsLookup } from './providers.js';
import { SecretRecords } from './selection.js';

/**
 * The resource of a record, such as `secrets.` or `sharedsecrets.management.svc.example`; undefined for a record of the
 * server itself.
 */
function groupsOf(key: string): string | undefined {
  const [registry, group = '', plural = '', rest] = key.split('/', 4);
  if (registry !== 'registry' || group === 'private' || rest === undefined) return undefined;
  return `${plural}.${group === 'core' ? '' : group}`;
}

/**
 * Whether one of the patterns names the resource of {@link groupsOf}: `secrets`, `projects.management.svc.example`, `*.<group>`,
 * `*.`, `*.*`.
 */
function matches(patterns: readonly string[], resource: string): boolean {
  const group = resource.slice(resource.indexOf('.') + 1);
  return patterns.some(
    (pattern) =>
      pattern === '*.*' ||
      pattern === `*.${group}` ||
      (pattern.includes('.') ? pattern : `${pattern}.`) === resource,
  );
}

/** For the resources of a rule, the first provider encrypts and all decrypt; undefined stands for `identity`. */
interface Rule {
  readonly patterns: readonly string[];
  readonly providers: readonly (Transformer | undefined)[];
}

/** For callers that only validate the file. */
const NOT_MADE_YET: KmsLookup = (provider) => [notMade(provider)];

/**
 * As in Kubernetes, the first rule that names a resource applies. Records with secrets that no rule names, such as
 * those of the server itself, are encrypted by the first provider of the file that encrypts. Throws Error for an
 * invalid configuration.
 *
 * @param further transformers that only decrypt, such as those of former keys
 * @param kms returns the transformers of a KMS plug-in, at least one; the first encrypts
 */
export function configuredKeyring(
  parsed: unknown,
  secrets: SecretRecords,
  further: Iterable<Transformer> = [],
  kms: KmsLookup = NOT_MADE_YET,
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
      return secrets.holds(key) ? unnamed : undefined;
    },
    reader: (header) => readers.get(header),
    plaintext(key) {
      const rule = ruleOf(key);
      // A record without secrets may be older than the rule. Anyone who can write to the store is trusted with such
      // records anyway.
      if (!secrets.holds(key)) return true;
      return rule === undefined ? unnamed === undefined : rule.providers.includes(undefined);
    },
    writers: writersOf(rules, unnamed),
    readers: [...readers.keys()],
    rules: digestOf(rules),
  };
}

/** A digest of the keys that encrypt each resource. */
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

/** The KMS plug-ins in the file. Throws Error for an invalid configuration. */
export function kmsProvidersOf(parsed: unknown): readonly UsedProvider[] {
  const found = new Map<string, UsedProvider>();
  const writers = new Set<string>();
  const standIns = new Map<string, Transformer>();
  const keyring = configuredKeyring(parsed, new SecretRecords([]), [], (provider) => {
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
