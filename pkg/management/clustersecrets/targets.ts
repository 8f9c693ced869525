/** The labelled Secrets of one API server, without their data, within a budget in bytes. */
import {
  FROM_UID,
  PROJECT_SECRET_NAME,
  SOURCE_NAME,
  SOURCE_NAMESPACE,
  type SecretMetadata,
} from './labels.js';
import type { Outcome } from './plan.js';

export interface Target {
  secret: SecretMetadata;
  /**
   * The labels by which it was last listed or watched; without any it was deleted, or requests nothing any
   * more.
   */
  readonly seenBy: Set<string>;
  /** The state after the last write: nothing is to be done while both are unchanged. */
  applied?: { readonly resourceVersion: string; readonly digest: string };
  /** Whether this server has filled it. */
  filled: boolean;
  outcome?: Outcome;
  /** How often it was repaired, and until when it is not repaired again, in ms. */
  mended: number;
  restsUntil: number;
}

/** The maximum of Secrets in one namespace that are synchronized. */
export const MAX_PER_NAMESPACE = 200;
/** The maximum bytes of all Secrets of one API server. */
export const MAX_BYTES = 8 * 1024 * 1024;
/** What a Secret takes besides its texts: its entries here and in queues, its outcome and its timer. */
const OVERHEAD = 1024;
/** The maximum of namespaces whose Secrets are known to be too many. */
const MAX_TRUNCATED = 1_000;

interface Namespace {
  readonly keys: Set<string>;
  bytes: number;
}

/**
 * Whoever may write Secrets in a namespace decides how many there are, so neither limit depends on what a
 * Secret says. If the budget is used up, the namespace with the most bytes loses Secrets that were not filled.
 */
export class Targets {
  private readonly targets = new Map<string, Target>();
  private readonly namespaces = new Map<string, Namespace>();
  private readonly truncated = new Set<string>();
  private used = 0;

  get size(): number {
    return this.targets.size;
  }

  /** At most {@link MAX_BYTES}. */
  get bytes(): number {
    return this.used;
  }

  /** Whether there are more Secrets than those that are known, since {@link relist}. */
  get overflows(): boolean {
    return this.truncated.size > 0;
  }

  isTruncated(namespace: string): boolean {
    return this.truncated.has(namespace);
  }

  /** All Secrets are about to be listed again. */
  relist(): void {
    this.truncated.clear();
  }

  get(key: string): Target | undefined {
    return this.targets.get(key);
  }

  keys(): Iterable<string> {
    return this.targets.keys();
  }

  keysIn(namespace: string): readonly string[] {
    return [...(this.namespaces.get(namespace)?.keys ?? [])];
  }

  /** The namespaces that have Secrets. */
  *inNamespaces(): Iterable<string> {
    yield* this.namespaces.keys();
  }

  entries(): Iterable<[string, Target]> {
    return this.targets;
  }

  /** Returns the key; undefined: it exceeds a limit. */
  set(secret: SecretMetadata, label: string): string | undefined {
    const key = keyOf(secret);
    const known = this.targets.get(key);
    if (known !== undefined) {
      if (!this.replace(key, secret)) return undefined;
      known.seenBy.add(label);
      return key;
    }
    const inside = this.namespaces.get(secret.namespace);
    const isFull = (inside?.keys.size ?? 0) >= MAX_PER_NAMESPACE;
    if ((isFull && !this.displace(secret)) || !this.makeRoom(secret.namespace, bytesOf(secret)))
      return this.refuse(secret.namespace);
    this.targets.set(key, { secret, seenBy: new Set([label]), filled: false, mended: 0, restsUntil: 0 });
    this.count(secret.namespace, bytesOf(secret)).keys.add(key);
    return key;
  }

  /** Replaces a known Secret by its current state. False: it has become too large, and is forgotten. */
  replace(key: string, secret: SecretMetadata): boolean {
    const known = this.targets.get(key);
    if (known === undefined) return false;
    if (known.secret.uid !== secret.uid) {
      known.filled = false;
      delete known.applied;
    }
    const { namespace } = known.secret;
    const growth = bytesOf(secret) - bytesOf(known.secret);
    if (growth > 0 && !this.makeRoom(namespace, growth, key)) {
      if (!known.filled) this.delete(key);
      this.refuse(namespace);
      return false;
    }
    known.secret = secret;
    this.count(namespace, growth);
    return true;
  }

  delete(key: string): void {
    const target = this.targets.get(key);
    if (target === undefined) return;
    this.targets.delete(key);
    const { namespace } = target.secret;
    const left = this.count(namespace, -bytesOf(target.secret));
    left.keys.delete(key);
    if (left.keys.size === 0) this.namespaces.delete(namespace);
  }

  /** The Secrets whose labels may name one of the sources, `plural/namespace/name`. */
  *of(sources: ReadonlySet<string>): Iterable<string> {
    const ofProjects = projectSecretsIn(sources);
    for (const [key, { secret }] of this.targets) {
      const { [SOURCE_NAME]: shared, [SOURCE_NAMESPACE]: where, [PROJECT_SECRET_NAME]: own } = secret.labels;
      const isShared = shared !== undefined && sources.has(`sharedsecrets/${where}/${shared}`);
      if (isShared || (own !== undefined && ofProjects.has(own))) yield key;
    }
  }

  private refuse(namespace: string): undefined {
    if (this.truncated.size < MAX_TRUNCATED) this.truncated.add(namespace);
  }

  private count(namespace: string, bytes: number): Namespace {
    const inside = this.namespaces.get(namespace) ?? { keys: new Set<string>(), bytes: 0 };
    this.namespaces.set(namespace, inside);
    inside.bytes += bytes;
    this.used += bytes;
    return inside;
  }

  /**
   * A Secret that says it was filled takes the place of one in its namespace that does not: after a restart it
   * may have data of a source whose right has ended. The limit holds all the same.
   */
  private displace({ namespace, annotations }: SecretMetadata): boolean {
    if (annotations[FROM_UID] === undefined) return false;
    const other = this.keysIn(namespace).find((key) => {
      const { filled, secret } = this.targets.get(key) ?? {};
      return filled === false && secret?.annotations[FROM_UID] === undefined;
    });
    if (other === undefined) return false;
    this.delete(other);
    this.refuse(namespace);
    return true;
  }

  private makeRoom(namespace: string, bytes: number, but?: string): boolean {
    while (this.used + bytes > MAX_BYTES) {
      const own = (this.namespaces.get(namespace)?.bytes ?? 0) + bytes;
      const victim = this.victim(own, but);
      if (victim === undefined) return false;
      this.refuse(namespaceOf(victim));
      this.delete(victim);
    }
    return true;
  }

  /** A Secret that was not filled in the namespace with the most bytes, if these are more than `least`. */
  private victim(least: number, but: string | undefined): string | undefined {
    const larger = [...this.namespaces.values()].filter(({ bytes }) => bytes > least);
    for (const { keys } of larger.sort((one, other) => other.bytes - one.bytes))
      for (const key of keys) if (key !== but && this.targets.get(key)?.filled === false) return key;
    return undefined;
  }
}

/** Names, ids and labels are ASCII; annotations may not be. */
function bytesOf({ namespace, name, uid, resourceVersion, labels, annotations }: SecretMetadata): number {
  const texts = 2 * (namespace.length + name.length) + uid.length + resourceVersion.length;
  return OVERHEAD + texts + lengthOf(labels) + 2 * lengthOf(annotations);
}

const lengthOf = (texts: Readonly<Record<string, string>>): number =>
  Object.values(texts).reduce((sum, { length }) => sum + length, 0);

/** The names of the ProjectSecrets among the sources. */
export function projectSecretsIn(sources: ReadonlySet<string>): Set<string> {
  const names = new Set<string>();
  for (const source of sources) {
    const [plural, , name = ''] = source.split('/');
    if (plural === 'projectsecrets') names.add(name);
  }
  return names;
}

export const keyOf = ({ namespace, name }: Pick<SecretMetadata, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

/** The namespace in the key of a Secret. */
export const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));
