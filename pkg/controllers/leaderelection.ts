/**
 * Elects the server that runs the controllers: the holder of a Lease (`client-go/tools/leaderelection`).
 * Clocks of different machines are never compared: a holder is gone when its record has not changed for the
 * lease's duration by the observer's clock.
 */
import { StatusError } from '../apimachinery/errors.js';
import { resourceOf, type Client, type ControllerLog, type ResourceClient } from './interface.js';
import type { KubeObject } from '../../api/resource.js';
import { Lease } from '../../api/coordination.k8s.io/v1/lease.js';
import { messageOf } from '../apimachinery/caught.js';

/** With {@link RETRY_MS}, the longest time without a leader after one died: 17 s. */
export const LEASE_SECONDS = 15;
/** A leader that could not renew for this time steps down, before another may take over. */
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2_000;
const CHECK_MS = 1_000;
/** The name of the Lease. */
export const LEASE_NAME = 'management-controllers';

export interface Election {
  /** Steps down and releases the lease. */
  stop(): Promise<void>;
}

/** The clocks of one server. */
export interface ElectionClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Milliseconds since 1970; for people. */
  wall(): number;
  every(milliseconds: number, work: () => Promise<void>): { cancel(): void };
}

export interface ElectionOptions {
  readonly client: Client;
  /** The namespace of the Lease. */
  readonly namespace: string;
  /** Unique among the servers. */
  readonly identity: string;
  readonly log: ControllerLog;
  readonly started: () => void;
  readonly stopped: () => Promise<void>;
  /** Absent: the clocks of the process. */
  readonly clock?: ElectionClock;
}

const PROCESS_CLOCK: ElectionClock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  every(milliseconds, work) {
    const timer = setInterval(() => void work(), milliseconds).unref();
    return { cancel: () => clearInterval(timer) };
  },
};

type LeaseSpec = NonNullable<Lease['spec']>;

export function runElection(options: ElectionOptions): Election {
  const candidate = new Candidate(options, resourceOf(options.client, Lease));
  candidate.begin();
  return { stop: () => candidate.stop() };
}

class Candidate {
  private leading = false;
  private ending = false;
  private renewedAt = -Infinity;
  private seen = { record: '', at: 0 };
  private trying: Promise<void> = Promise.resolve();
  private timers: readonly { cancel(): void }[] = [];
  private readonly clock: ElectionClock;

  constructor(
    private readonly options: ElectionOptions,
    private readonly leases: ResourceClient<Lease>,
  ) {
    this.clock = options.clock ?? PROCESS_CLOCK;
  }

  begin(): void {
    let busy = false;
    const attempt = (): Promise<void> => {
      if (busy) return this.trying;
      busy = true;
      this.trying = this.attempt().finally(() => {
        busy = false;
      });
      return this.trying;
    };
    void attempt();
    this.timers = [
      this.clock.every(RETRY_MS, attempt),
      this.clock.every(CHECK_MS, () => this.checkDeadline()),
    ];
  }

  async stop(): Promise<void> {
    this.ending = true;
    for (const timer of this.timers) timer.cancel();
    await this.trying;
    if (!this.leading) return;
    await this.stepDown();
    try {
      const lease = await this.leases.live({ namespace: this.options.namespace, name: LEASE_NAME });
      const spec = lease?.spec ?? {};
      if (lease !== undefined && this.isMine(spec)) await this.write(lease, { ...spec, holderIdentity: '' });
    } catch (error) {
      this.tell(error, 'the lease of the controllers is not given back');
    }
  }

  private async attempt(): Promise<void> {
    const asked = this.clock.now();
    try {
      if (!(await this.acquireOrRenew())) {
        if (this.leading) await this.stepDown();
        return;
      }
      this.renewedAt = asked;
      if (this.leading || this.ending) return;
      this.leading = true;
      this.options.log.info({ identity: this.options.identity }, 'leads: runs the controllers');
      this.options.started();
    } catch (error) {
      // Another server wrote first; the next attempt reads its record. A leader has until its deadline.
      if (isConflict(error)) return;
      this.tell(error, 'the lease of the controllers cannot be renewed');
    }
  }

  private async acquireOrRenew(): Promise<boolean> {
    if (this.leading && (await this.renew())) return true;
    const lease = await this.leases.live({ namespace: this.options.namespace, name: LEASE_NAME });
    if (lease === undefined) return this.createLease();
    const spec = lease.spec ?? {};
    if (!this.isMine(spec) && !this.isFree(spec)) return false;
    await this.write(lease, this.held(spec));
    return true;
  }

  /**
   * Renews without the read that other candidates make. False if the lease is not as this leader left it;
   * then it is read.
   */
  private async renew(): Promise<boolean> {
    let mine = false;
    try {
      await this.leases.update({ namespace: this.options.namespace, name: LEASE_NAME }, (copy) => {
        const spec = copy.spec ?? {};
        mine = this.isMine(spec);
        return mine ? { ...copy, spec: this.held(spec) } : undefined;
      });
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
      return false;
    }
    return mine;
  }

  private isMine({ holderIdentity }: LeaseSpec): boolean {
    return holderIdentity === this.options.identity;
  }

  private isFree(spec: LeaseSpec): boolean {
    const record = recordOf(spec);
    const now = this.clock.now();
    if (record !== this.seen.record) this.seen = { record, at: now };
    if ((spec.holderIdentity ?? '') === '') return true;
    return now - this.seen.at > (spec.leaseDurationSeconds ?? LEASE_SECONDS) * 1000;
  }

  private held(previous: LeaseSpec | undefined): LeaseSpec {
    const renewTime = microTime(this.clock.wall());
    const isRenewal = previous !== undefined && this.isMine(previous);
    const transitions = previous?.leaseTransitions ?? 0;
    return {
      holderIdentity: this.options.identity,
      leaseDurationSeconds: LEASE_SECONDS,
      acquireTime: isRenewal ? (previous.acquireTime ?? renewTime) : renewTime,
      renewTime,
      leaseTransitions: previous === undefined || isRenewal ? transitions : transitions + 1,
    };
  }

  private async createLease(): Promise<boolean> {
    const spec = this.held(undefined);
    const metadata = { name: LEASE_NAME };
    const lease: KubeObject = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata, spec };
    try {
      await this.leases.create(this.options.namespace, lease);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  /**
   * Rejects with 409 unless the lease is unchanged since it was read. Its version is a precondition, as an
   * update may first be tried on an older copy.
   */
  private async write(read: Lease, spec: LeaseSpec): Promise<void> {
    await this.leases.update({ namespace: this.options.namespace, name: LEASE_NAME }, () => ({
      ...structuredClone(read),
      spec,
    }));
  }

  private async checkDeadline(): Promise<void> {
    if (this.leading && this.clock.now() - this.renewedAt > RENEW_DEADLINE_MS) await this.stepDown();
  }

  private async stepDown(): Promise<void> {
    this.leading = false;
    this.options.log.info({ identity: this.options.identity }, 'does not lead any more');
    await this.options.stopped();
  }

  private tell(error: unknown, message: string): void {
    this.options.log.warn({ reason: messageOf(error) }, message);
  }
}

const isConflict = (error: unknown): boolean => error instanceof StatusError && error.code === 409;

const recordOf = ({ holderIdentity, renewTime }: LeaseSpec): string =>
  `${holderIdentity ?? ''} ${renewTime ?? ''}`;

/** RFC 3339 with microseconds. */
const microTime = (wall: number): string => new Date(wall).toISOString().replace('Z', '000Z');
