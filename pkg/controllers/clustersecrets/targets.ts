/** The labelled Secrets of one API server, without their data. */
import { FROM_UID, PROJECT_SECRET_NAME, SOURCE_NAME, SOURCE_NAMESPACE } from './labels.js';
import type { SecretMetadata } from './labels.js';
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

/** The maximum of Secrets in one namespace, and in all, that are synchronized. */
export const MAX_PER_NAMESPACE = 200;
const MAX = 50_000;

export class Targets {
  private readonly targets = new Map<string, Target>();
  private readonly namespaces = new Map<string, Set<string>>();
  /** Whether there are more Secrets than that. */
  overflows = false;

  get size(): number {
    return this.targets.size;
  }

  get(key: string): Target | undefined {
    return this.targets.get(key);
  }

  keys(): Iterable<string> {
    return this.targets.keys();
  }

  keysIn(namespace: string): readonly string[] {
    return [...(this.namespaces.get(namespace) ?? [])];
  }

  entries(): Iterable<[string, Target]> {
    return this.targets;
  }

  /** Returns the key; undefined: it exceeds the maximum. */
  set(secret: SecretMetadata, label: string): string | undefined {
    const key = keyOf(secret);
    const known = this.targets.get(key);
    if (known !== undefined) {
      if (known.secret.uid !== secret.uid) {
        known.filled = false;
        delete known.applied;
      }
      known.secret = secret;
      known.seenBy.add(label);
      return key;
    }
    const inside = this.namespaces.get(secret.namespace) ?? new Set<string>();
    // Secrets that were filled are synchronized beyond it: otherwise they would keep their data when the
    // right ends.
    const isFull = inside.size >= MAX_PER_NAMESPACE && secret.annotations[FROM_UID] === undefined;
    if (isFull || this.targets.size >= MAX) {
      this.overflows = true;
      return undefined;
    }
    this.namespaces.set(secret.namespace, inside.add(key));
    this.targets.set(key, { secret, seenBy: new Set([label]), filled: false, mended: 0, restsUntil: 0 });
    return key;
  }

  delete(key: string): void {
    const target = this.targets.get(key);
    if (target === undefined) return;
    this.targets.delete(key);
    const { namespace } = target.secret;
    const left = this.namespaces.get(namespace);
    left?.delete(key);
    if (left?.size === 0) this.namespaces.delete(namespace);
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
}

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
