/**
 * Fills the Secrets of one API server. Each has its own queue, rate limit and back-off, so that none delays
 * another.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../apimachinery/caught.js';
import type { Connection } from '../../clusterclient/interface.js';
import { AnswerTooLarge } from '../../clusterclient/interface.js';
import type { ControllerLog } from '../interface.js';
import { tokenBucket } from '../tokenbucket.js';
import type { WorkQueue } from '../workqueue.js';
import { createWorkQueue } from '../workqueue.js';
import { DeclaredSecrets } from './declaredsecrets.js';
import type { SecretMetadata } from './labels.js';
import { STATUS, metadataOf } from './labels.js';
import type { Instance } from './places.js';
import type { Wanted } from './plan.js';
import { SYNCED, planFor } from './plan.js';
import { Refused, carryOut, readSecret, recordEvent } from './secretrequests.js';
import { LABELS, followSecrets } from './secretwatch.js';
import type { Target } from './targets.js';
import { Targets, keyOf, namespaceOf, projectSecretsIn } from './targets.js';
import { isDone, isDrift, suspendRepair } from './targetstate.js';
import { SourceUnreadable, digestOf } from './wanted.js';

export interface PlaceParts {
  readonly place: string;
  readonly connect: () => Promise<Connection>;
  readonly instancesAt: (namespace: string) => readonly Instance[];
  readonly wanted: (secret: SecretMetadata, instances: readonly Instance[]) => Promise<Wanted>;
  /** Reports the instances whose status may have changed. */
  readonly reportInstances: (instances: readonly Instance[]) => void;
  readonly log: ControllerLog;
}

/** The rate of Secrets that are filled or checked, and of those that are emptied. */
const FILLS = { perSecond: 50, burst: 100 };
const REVOKES = { perSecond: 200, burst: 400 };
const WORKERS = 4;
/** The delay after a failure; it doubles each time. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** The delay before a Secret that the cluster refused is tried again. */
const REFUSED_MS = 30_000;
const NAMESPACE_MS = 2_000;

export class PlaceSync {
  readonly targets = new Targets();
  /** Why the API server is unreachable; undefined: it is not. */
  unreachable: string | undefined;
  /** The number of Secrets written since the start. */
  writes = 0;
  private readonly ended = new AbortController();
  private readonly fills: WorkQueue;
  private readonly revokes: WorkQueue;
  private readonly turn = { fill: tokenBucket(FILLS), revoke: tokenBucket(REVOKES) };
  readonly declared: DeclaredSecrets;
  private readonly listedBy = new Set<string>();
  private failures = 0;
  private downUntil = 0;
  private readonly following: Promise<void>;

  constructor(private readonly parts: PlaceParts) {
    const queue = (name: string, reconcile: (key: string) => Promise<void>): WorkQueue =>
      createWorkQueue({
        ...{ name, workers: WORKERS, reconcile },
        failed: (key, error) => this.failed(key, error),
        backoff: { next: () => FIRST_MS, forget: () => undefined },
      });
    this.fills = queue('fills', (key) => this.reconcile(key, 'fill'));
    this.revokes = queue('revokes', (key) => this.reconcile(key, 'revoke'));
    this.declared = new DeclaredSecrets({
      ...{ targets: this.targets, connect: parts.connect },
      mayFill: async (secret) =>
        (await parts.wanted(secret, parts.instancesAt(secret.namespace))).is === 'filled',
      seen: (secret, label) => this.seen(secret, label),
      enqueue: (key) => this.fills.add(key),
    });
    this.following = followSecrets({
      ...{ connect: parts.connect, signal: this.ended.signal },
      seen: (secret, label) => this.seen(secret, label),
      missed: (secret, label) => this.missed(keyOf(secret), label),
      listed: (label, all) => this.listed(label, all),
      failed: (error) => this.down(error),
      incomplete: () => this.targets.overflows,
    });
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await Promise.all([this.fills.stop(), this.revokes.stop(), this.following]);
  }

  /**
   * Enqueues the Secrets whose right or source has changed, and those that may now be created; those to be
   * emptied come first.
   */
  sourcesChanged(sources: ReadonlySet<string>): void {
    for (const key of this.targets.of(sources)) this.revokes.add(key);
    for (const key of this.declared.missing(projectSecretsIn(sources))) this.fills.add(key);
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
    this.downUntil = 0;
    this.enqueueAll();
  }

  get depth(): number {
    return this.fills.counts.depth + this.revokes.counts.depth;
  }

  private seen(secret: SecretMetadata, label: string): void {
    const known = this.targets.get(keyOf(secret))?.secret.resourceVersion;
    const key = this.targets.set(secret, label);
    if (key !== undefined && known !== secret.resourceVersion) this.fills.add(key);
  }

  private listed(label: string, all: ReadonlySet<string>): void {
    [this.unreachable, this.failures, this.downUntil] = [undefined, 0, 0];
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

  /** Reconnects to the API server with back-off. */
  private down(error: unknown): void {
    if (this.ended.signal.aborted) return;
    const now = performance.now();
    if (now < this.downUntil) return;
    this.downUntil = now + Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    const before = this.unreachable;
    this.unreachable = messageOf(error);
    if (before !== this.unreachable) this.tellAll();
  }

  private tellAll(): void {
    for (const [, { secret }] of this.targets.entries())
      this.parts.reportInstances(this.parts.instancesAt(secret.namespace));
  }

  private async reconcile(key: string, by: 'fill' | 'revoke'): Promise<void> {
    const target = this.targets.get(key);
    const instances = this.parts.instancesAt(namespaceOf(key));
    if (instances.length === 0) this.declared.forget(key);
    const step = this.declared.stepOf(key, target);
    if (step !== undefined) return this.keepDeclared(key, by, step);
    if (target === undefined) return;
    // The content of a namespace that never belonged to an instance is ignored.
    if (instances.length === 0 && target.applied === undefined && !target.filled) {
      if (target.seenBy.size === 0) this.targets.delete(key);
      return;
    }
    const wanted = await this.parts.wanted(target.secret, instances);
    if (isDone(target, wanted)) return;
    if (by === 'revoke' && wanted.is === 'filled') return this.fills.add(key);
    const now = performance.now();
    const wait = Math.max(isDrift(target, wanted) ? target.restsUntil - now : 0, this.downUntil - now);
    if (wait > 0) return (by === 'fill' ? this.fills : this.revokes).add(key, wait);
    await this.attempt(key, by, () => this.write(key, target));
    this.parts.reportInstances(instances);
  }

  private async attempt(key: string, by: 'fill' | 'revoke', work: () => Promise<void>): Promise<void> {
    const wait = this.turn[by]();
    if (wait > 0) await sleep(wait, undefined, { ref: false });
    try {
      await work();
      [this.unreachable, this.failures] = [undefined, 0];
    } catch (error) {
      if (error instanceof SourceUnreadable) throw error;
      if (error instanceof AnswerTooLarge || (error instanceof Refused && error.status !== 401))
        return this.refused(key, error);
      this.down(error);
      this.fills.add(key, FIRST_MS);
    }
  }

  private async keepDeclared(key: string, by: 'fill' | 'revoke', step: 'create' | 'remove'): Promise<void> {
    const wait = this.downUntil - performance.now();
    if (wait > 0) return this.fills.add(key, wait);
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
    const { namespace, name } = target.secret;
    const live = await readSecret(connection, namespace, name);
    const found = metadataOf(live);
    if (live === undefined || found === undefined) {
      this.targets.delete(key);
      return this.fills.add(key);
    }
    if (found.uid !== target.secret.uid) target.filled = false;
    target.secret = found;
    const wanted = await this.parts.wanted(found, this.parts.instancesAt(namespace));
    const plan = planFor(live, wanted, target.filled);
    const after = await carryOut(connection, live, plan);
    if (after === undefined) return this.fills.add(key);
    const drift = isDrift(target, wanted) && plan.put !== undefined;
    this.writes += plan.put === undefined ? 0 : 1;
    target.secret = after;
    target.filled = plan.outcome.reason === SYNCED || target.filled;
    target.outcome = plan.outcome;
    if (drift) suspendRepair(target);
    if (plan.outcome.reason !== (found.annotations[STATUS] ?? SYNCED))
      await recordEvent(connection, live, plan.outcome);
    if (plan.remove === true || wanted.is === 'released') this.targets.delete(key);
    else target.applied = { resourceVersion: after.resourceVersion, digest: digestOf(wanted) };
    if (this.declared.stepOf(key, target) !== undefined) this.fills.add(key);
    // The right may have ended during the write.
    if (plan.put !== undefined) this.revokes.add(key);
  }

  private refused(key: string, error: Error): void {
    const target = this.targets.get(key);
    const why = error instanceof Refused ? error.message : 'the Secret is too large';
    if (target !== undefined) target.outcome = { reason: 'Refused', message: why };
    // A namespace that does not exist yet is created soon.
    this.fills.add(key, error instanceof Refused && error.status === 404 ? NAMESPACE_MS : REFUSED_MS);
  }
}
