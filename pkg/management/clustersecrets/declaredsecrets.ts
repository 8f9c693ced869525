/**
 * The Secrets of one API server that ProjectSecrets declare with `spec.sync`: creates, repairs and removes
 * them.
 */
import type { Connection } from '../clusters/client/interface.js';
import { bodyOf, isAsDeclared, isCreatedFor, type Declared } from './declared.js';
import { PROJECT_SECRET_NAME, metadataOf, type SecretMetadata } from './labels.js';
import { createSecret, readSecret, removeSecret } from './secretrequests.js';
import { keyOf, type Target, type Targets } from './targets.js';

export interface DeclaredParts {
  readonly targets: Targets;
  readonly connect: () => Promise<Connection>;
  /** Whether the owner of the place has the right to the source. */
  readonly mayFill: (secret: SecretMetadata) => Promise<boolean>;
  readonly seen: (secret: SecretMetadata, label: string) => void;
  /** Enqueues the Secret. */
  readonly enqueue: (key: string) => void;
}

export class DeclaredSecrets {
  private readonly wanted = new Map<string, Declared>();
  /** The uids of ProjectSecrets, by the keys of Secrets that they no longer declare. */
  private readonly withdrawn = new Map<string, string>();
  /** The names that other Secrets use. */
  private readonly taken = new Set<string>();

  constructor(private readonly parts: DeclaredParts) {}

  /** Creates a missing Secret, and keeps it. Of several declarations of a name the first one applies. */
  declare(declared: Declared): void {
    const key = keyOf(declared);
    const before = this.wanted.get(key);
    if (before !== undefined && uidOf(before) !== uidOf(declared)) return;
    this.wanted.set(key, declared);
    // A Secret that another ProjectSecret declared under this name before is still removed.
    if (this.withdrawn.get(key) === uidOf(declared)) this.withdrawn.delete(key);
    if (before?.mark !== declared.mark || this.stepOf(key, this.parts.targets.get(key)) !== undefined)
      this.parts.enqueue(key);
  }

  /**
   * Removes the Secrets of a namespace that were created for the ProjectSecret, except one. Returns whether
   * any remain.
   */
  withdraw(uid: string, namespace: string, but: string | undefined): boolean {
    for (const [key, declared] of this.wanted)
      if (key !== but && declared.namespace === namespace && uidOf(declared) === uid) this.wanted.delete(key);
    let left = false;
    for (const key of this.parts.targets.keysIn(namespace)) {
      const target = this.parts.targets.get(key);
      if (key === but || target === undefined || !isCreatedFor(target.secret, uid)) continue;
      if (target.secret.deleting === true) continue;
      left = true;
      this.withdrawn.set(key, uid);
      this.parts.enqueue(key);
    }
    return left;
  }

  /** Forgets a Secret whose namespace belongs to no instance any more. A withdrawn one is still removed. */
  forget(key: string): void {
    this.wanted.delete(key);
    this.taken.delete(key);
    if (this.parts.targets.get(key) === undefined) this.withdrawn.delete(key);
  }

  isTaken(key: string): boolean {
    return this.taken.has(key);
  }

  /** The missing Secrets. `of`: the names of ProjectSecrets; absent: all. */
  *missing(of?: ReadonlySet<string>): Iterable<string> {
    for (const [key, { labels }] of this.wanted) {
      const isAsked = of === undefined || of.has(labels[PROJECT_SECRET_NAME] ?? '');
      if (isAsked && this.parts.targets.get(key) === undefined) yield key;
    }
  }

  /** The next step for a Secret, besides its data. */
  stepOf(key: string, target: Target | undefined): 'create' | 'remove' | undefined {
    const declared = this.wanted.get(key);
    if (target === undefined) return declared === undefined ? undefined : 'create';
    const { secret, outcome } = target;
    // A Secret that finalizers of others hold is handled like any other with the labels.
    if (secret.deleting === true) return undefined;
    const uid = this.withdrawn.get(key);
    if (uid !== undefined && isCreatedFor(secret, uid)) return 'remove';
    if (declared === undefined) return undefined;
    if (!isCreatedFor(secret, uidOf(declared))) {
      this.taken.add(key);
      return undefined;
    }
    this.taken.delete(key);
    return outcome?.reason === 'Immutable' || !isAsDeclared(secret, declared) ? 'remove' : undefined;
  }

  async carryOut(key: string, step: 'create' | 'remove'): Promise<void> {
    if (step === 'remove') return this.remove(key);
    const declared = this.wanted.get(key);
    if (declared !== undefined) await this.create(key, declared);
  }

  private async create(key: string, declared: Declared): Promise<void> {
    const { namespace, name, labels, annotations } = declared;
    const planned = { namespace, name, labels, annotations, uid: '', resourceVersion: '' };
    if (!(await this.parts.mayFill(planned))) return;
    const created = metadataOf(await createSecret(await this.parts.connect(), bodyOf(declared)));
    if (created === undefined) this.taken.add(key);
    else {
      this.taken.delete(key);
      this.parts.seen(created, PROJECT_SECRET_NAME);
    }
  }

  /** Leaves a Secret alone that was recreated, or that others labelled differently meanwhile. */
  private async remove(key: string): Promise<void> {
    const { targets, connect, enqueue } = this.parts;
    const target = targets.get(key);
    if (target === undefined) return;
    const connection = await connect();
    const live = await readSecret(connection, target.secret);
    const found = metadataOf(live);
    if (live !== undefined && found !== undefined) {
      targets.replace(key, found);
      if (this.stepOf(key, target) !== 'remove') return;
      if (!(await removeSecret(connection, live))) return enqueue(key);
    }
    targets.delete(key);
    this.withdrawn.delete(key);
    enqueue(key);
  }
}

const uidOf = ({ mark }: Declared): string => mark.split(' ')[0] ?? '';
