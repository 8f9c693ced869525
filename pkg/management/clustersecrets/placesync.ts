/**
 * Fills the Secrets of one API server. Each has its own queue, rate limit and back-off, so that none delays
 * another.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../apimachinery/caught.js';
import { AnswerTooLarge, type Connection } from '../clusters/client/interface.js';
import type { ControllerLog } from '../../controllers/interface.js';
import { tokenBucket } from '../../controllers/tokenbucket.js';
import { createWorkQueue, type WorkQueue } from '../../controllers/workqueue.js';
import { DeclaredSecrets } from './declaredsecrets.js';
import { STATUS, metadataOf, type SecretMetadata } from './labels.js';
import type { Instance } from './places.js';
import { REFUSED, SYNCED, planFor, type Wanted } from './plan.js';
import { Reachability } from './reachability.js';
import { Refused, carryOut, readSecret, recordEvent } from './secretrequests.js';
import { LABELS, followSecrets, listNamespace, type SecretWatchParts } from './secretwatch.js';
import { Targets, keyOf, namespaceOf, projectSecretsIn, type Target } from './targets.js';
import { isDone, isDrift, needsNothing, restMs, suspendRepair } from './targetstate.js';
import { SourceUnreadable, digestOf } from './wanted.js';

export interface PlaceParts {
  readonly place: string;
  readonly connect: () => Promise<Connection>;
  readonly instancesAt: (namespace: string) => readonly Instance[];
  /** The namespaces with instances; `''`: all. */
  readonly namespaces: () => Iterable<string>;
  readonly wanted: (secret: SecretMetadata, instances: readonly Instance[]) => Promise<Wanted>;
  /** Reports the instances whose status may have changed. */
  readonly reportInstances: (instances: readonly Instance[]) => void;
  readonly log: ControllerLog;
}

/** The rate of Secrets that are filled or checked, and of those that are emptied. */
const FILLS = { perSecond: 50, burst: 100 };
const REVOKES = { perSecond: 200, burst: 400 };
const WORKERS = 4;
/** The delay after a failure. */
const FIRST_MS = 1_000;
/** The delay before a Secret that the cluster refused is tried again. */
const REFUSED_MS = 30_000;
const NAMESPACE_MS = 2_000;
/** The delay after a change by others that came before a write. */
const CONFLICT_MS = 200;

export class PlaceSync {
  readonly targets = new Targets();
  /** The number of Secrets written since the start. */
  writes = 0;
  private readonly ended = new AbortController();
  private readonly fills: WorkQueue;
  private readonly revokes: WorkQueue;
  /** Namespaces of new instances, whose Secrets were ignored before. */
  private readonly lists: WorkQueue;
  private readonly turn = { fill: tokenBucket(FILLS), revoke: tokenBucket(REVOKES) };
  readonly declared: DeclaredSecrets;
  private readonly listedBy = new Set<string>();
  private readonly reach = new Reachability();
  private readonly following: Promise<void>;

  constructor(private readonly parts: PlaceParts) {
    const queue = (name: string, workers: number, reconcile: (key: string) => Promise<void>): WorkQueue =>
      createWorkQueue({
        name,
        workers,
        reconcile,
        failed: (key, error) => this.failed(key, error),
        backoff: { next: () => FIRST_MS, forget: () => undefined },
      });
    this.fills = queue('fills', WORKERS, (key) => this.reconcile(key, 'fill'));
    this.revokes = queue('revokes', WORKERS, (key) => this.reconcile(key, 'revoke'));
    this.declared = new DeclaredSecrets({
      targets: this.targets,
      connect: parts.connect,
      mayFill: async (secret) =>
        (await parts.wanted(secret, parts.instancesAt(secret.namespace))).is === 'filled',
      seen: (secret, label) => void this.seen(secret, label),
      enqueue: (key) => this.fills.add(key),
    });
    const watching: SecretWatchParts = {
      connect: parts.connect,
      signal: this.ended.signal,
      namespaces: parts.namespaces,
      listing: () => this.targets.relist(),
      seen: (secret, label) => this.seen(secret, label),
      missed: (secret, label) => this.missed(keyOf(secret), label),
      listed: (label, all) => this.listed(label, all),
      failed: (error) => this.down(error),
      incomplete: () => this.targets.overflows,
    };
    this.lists = queue('lists', 1, (namespace) => this.list(namespace, watching));
    this.following = followSecrets(watching);
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await Promise.all([this.fills.stop(), this.revokes.stop(), this.lists.stop(), this.following]);
  }

  /**
   * Enqueues the Secrets whose right or source has changed, and those that may now be created; those to be
   * emptied come first.
   */
  sourcesChanged(sources: ReadonlySet<string>): void {
    for (const key of this.targets.of(sources)) this.revokes.add(key);
    for (const key of this.declared.missing(projectSecretsIn(sources))) this.fills.add(key);
  }

  /** Looks at the Secrets of a namespace that belongs to an instance now. */
  add(namespace: string): void {
    this.lists.add(namespace);
  }

  /** Why the API server is unreachable; undefined: it is not. */
  get unreachable(): string | undefined {
    return this.reach.why;
  }

  /** Whether all existing Secrets are known. */
  get complete(): boolean {
    return this.listedBy.size === LABELS.length && this.unreachable === undefined;
  }

  /** Checks all Secrets, without requests for unchanged ones. */
  enqueueAll(): void {
    for (const key of this.targets.keys()) this.revokes.add(key);
    for (const key of this.declared.missing()) this.fills.add(key);
  }

  /** Reconnects at once. */
  retry(): void {
    this.reach.retry();
    this.enqueueAll();
  }

  get depth(): number {
    return this.fills.counts.depth + this.revokes.counts.depth;
  }

  /** Ignores Secrets in namespaces that belong to no instance, unless one of these did. */
  private seen(secret: SecretMetadata, label: string): string | undefined {
    const known = this.targets.get(keyOf(secret));
    if (known === undefined && this.parts.instancesAt(secret.namespace).length === 0) return undefined;
    const before = known?.secret.resourceVersion;
    const key = this.targets.set(secret, label);
    if (key !== undefined && before !== secret.resourceVersion) this.fills.add(key);
    return key;
  }

  private async list(namespace: string, watching: SecretWatchParts): Promise<void> {
    if (this.reach.waitMs > 0) return this.lists.add(namespace, this.reach.waitMs);
    try {
      await listNamespace(namespace, watching);
    } catch (error) {
      this.down(error);
      this.lists.add(namespace, FIRST_MS);
    }
  }

  private listed(label: string, all: ReadonlySet<string>): void {
    this.reach.answered();
    for (const [key, target] of this.targets.entries())
      if (target.seenBy.has(label) && !all.has(key)) this.missed(key, label);
    this.listedBy.add(label);
    this.enqueueAll();
  }

  /** Handles a Secret that was deleted or has lost the label. */
  private missed(key: string, label: string): void {
    const target = this.targets.get(key);
    target?.seenBy.delete(label);
    delete target?.applied;
    this.fills.add(key);
  }

  private failed(key: string, error: unknown): void {
    if (this.ended.signal.aborted) return;
    this.parts.log.warn(
      { place: this.parts.place, secret: key, reason: messageOf(error) },
      'a Secret is to be looked at again',
    );
  }

  private down(error: unknown): void {
    if (!this.ended.signal.aborted && this.reach.failed(error)) this.tellAll();
  }

  private tellAll(): void {
    for (const namespace of this.targets.inNamespaces())
      this.parts.reportInstances(this.parts.instancesAt(namespace));
  }

  private async reconcile(key: string, by: 'fill' | 'revoke'): Promise<void> {
    const target = this.targets.get(key);
    const instances = this.parts.instancesAt(namespaceOf(key));
    if (instances.length === 0) this.declared.forget(key);
    const step = this.declared.stepOf(key, target);
    if (step !== undefined) return this.keepDeclared(key, by, step);
    if (target === undefined) return;
    // What this server has not filled is no concern of it once the namespace belongs to no instance.
    if (instances.length === 0 && !target.filled) return this.targets.delete(key);
    const wanted = await this.parts.wanted(target.secret, instances);
    if (isDone(target, wanted)) return;
    if (needsNothing(target, wanted)) return settle(target, wanted);
    if (by === 'revoke' && wanted.is === 'filled') return this.fills.add(key);
    const wait = Math.max(restMs(target, wanted), this.reach.waitMs);
    if (wait > 0) return (by === 'fill' ? this.fills : this.revokes).add(key, wait);
    await this.attempt(key, by, () => this.write(key, target));
    this.parts.reportInstances(instances);
  }

  private async attempt(key: string, by: 'fill' | 'revoke', work: () => Promise<void>): Promise<void> {
    const wait = this.turn[by]();
    if (wait > 0) await sleep(wait, undefined, { ref: false });
    try {
      await work();
      this.reach.answered();
    } catch (error) {
      if (error instanceof SourceUnreadable) throw error;
      if (error instanceof AnswerTooLarge || (error instanceof Refused && error.status !== 401))
        return this.refused(key, error);
      this.down(error);
      this.fills.add(key, FIRST_MS);
    }
  }

  private async keepDeclared(key: string, by: 'fill' | 'revoke', step: 'create' | 'remove'): Promise<void> {
    if (this.reach.waitMs > 0) return this.fills.add(key, this.reach.waitMs);
    const before = this.stateOf(key);
    await this.attempt(key, by, () => this.declared.carryOut(key, step));
    if (before === this.stateOf(key)) return;
    this.parts.reportInstances(this.parts.instancesAt(namespaceOf(key)));
  }

  /**
   * The state of a Secret for its report: repeated reports of the same state would ask for its creation again
   * and again.
   */
  private stateOf(key: string): string {
    const target = this.targets.get(key);
    const { secret, outcome } = target ?? {};
    return JSON.stringify([secret?.uid, outcome, this.declared.isTaken(key), this.unreachable]);
  }

  /** Reads the Secret before it checks the right, so that a write decided before a revocation conflicts. */
  private async write(key: string, target: Target): Promise<void> {
    const connection = await this.parts.connect();
    const live = await readSecret(connection, target.secret);
    const found = metadataOf(live);
    if (live === undefined || found === undefined) {
      this.targets.delete(key);
      return this.fills.add(key);
    }
    this.targets.replace(key, found);
    const read = target.secret;
    const seenBy = [...target.seenBy].join();
    const instances = this.parts.instancesAt(read.namespace);
    const wanted = await this.parts.wanted(found, instances);
    const plan = planFor(live, wanted, target.filled);
    const drift = isDrift(target, wanted);
    const after = await carryOut(connection, live, plan);
    if (after === undefined) return this.fills.add(key, CONFLICT_MS);
    this.writes += plan.put === undefined ? 0 : 1;
    target.filled = plan.outcome.reason === SYNCED || target.filled;
    target.outcome = plan.outcome;
    // A Secret is read again for each change of others, so that these are delayed even if they need no repair.
    if (drift) suspendRepair(target);
    const isLatest = target.secret === read || target.secret.resourceVersion === after.resourceVersion;
    if (!isLatest || [...target.seenBy].join() !== seenBy) {
      // What a watch reported meanwhile may be newer: it stays, and is looked at again.
      this.fills.add(key);
    } else {
      this.targets.replace(key, after);
      settle(target, wanted);
      if (plan.remove === true || wanted.is === 'released' || instances.length === 0)
        this.targets.delete(key);
    }
    if (this.declared.stepOf(key, target) !== undefined) this.fills.add(key);
    // The right may have ended during the write.
    if (plan.put !== undefined) this.revokes.add(key);
    // Last, as a change during this request is not to be taken for the state that was written.
    if (plan.outcome.reason !== (found.annotations[STATUS] ?? SYNCED))
      await recordEvent(connection, live, plan.outcome);
  }

  private refused(key: string, error: Error): void {
    const target = this.targets.get(key);
    const message = error instanceof Refused ? error.message : 'the Secret is too large';
    // A namespace that does not exist yet is created soon.
    const wait = error instanceof Refused && error.status === 404 ? NAMESPACE_MS : REFUSED_MS;
    if (target !== undefined) {
      target.outcome = { reason: REFUSED, message };
      target.restsUntil = performance.now() + wait;
    }
    this.fills.add(key, wait);
  }
}

/** Records that the Secret is in the wanted state. */
function settle(target: Target, wanted: Wanted): void {
  const { resourceVersion } = target.secret;
  target.applied = { resourceVersion, digest: digestOf(wanted) };
}
