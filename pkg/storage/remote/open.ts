/** A storage whose engine is in the process that owns the store. */
import { coalesceReads } from '../revisioncoalescer.js';
import {
  FIRST_REVISION,
  StorageError,
  type Capabilities,
  type CommitResult,
  type GetResult,
  type KeyRange,
  type ScanResult,
  type Storage,
  type StorageWatch,
  type WatchBatch,
  type WatchOptions,
} from '../interface.js';
import { toBuffer, toFailure, toRecord } from './bytes.js';
import type { Answer, Answered, Call, Failed, Port, Request } from './messages.js';
import { RemoteWatch } from './watch.js';

export interface RemoteOptions {
  /** The capabilities of the owner's engine. */
  readonly capabilities: Capabilities;
  /**
   * Returns the newest revision without asking the owner; closed with the storage. Absent: the owner is
   * asked.
   */
  readonly revisions?: { newest(): number; close(): Promise<void> };
}

/**
 * Opens a storage on the other end of `serveStorage`. When that end has closed, calls and watches fail as
 * `unavailable`, calls in flight with an unknown outcome.
 */
export function openRemote(port: Port<Request, Answer>, { capabilities, revisions }: RemoteOptions): Storage {
  const remote = new RemoteStorage(port);
  const currentRevision = coalesceReads(() => remote.ask<number>({ call: 'currentRevision' }, 'none'));
  return {
    capabilities: { ...capabilities, shared: true },
    async get(key, options = {}) {
      const found = await remote.ask<GetResult>({ call: 'get', key, options }, 'none');
      return { ...found, record: found.record && toRecord(found.record) };
    },
    async scan(range, options = {}) {
      const found = await remote.ask<ScanResult>({ call: 'scan', range, options }, 'none');
      return { ...found, records: found.records.map(toRecord) };
    },
    commit: (writes, guards = []) => remote.ask<CommitResult>({ call: 'commit', writes, guards }, 'unknown'),
    watch: (range, options) => remote.watch(range, options),
    currentRevision,
    ...(revisions !== undefined && {
      revisionNow: () => {
        remote.checkOpen();
        return revisions.newest();
      },
    }),
    async compact(revision) {
      await remote.ask({ call: 'compact', revision }, 'unknown');
    },
    async close() {
      await remote.close();
      await revisions?.close();
    },
  };
}

interface Waiting {
  readonly outcome: 'none' | 'unknown';
  readonly resolve: (answer: Answered) => void;
  readonly reject: (error: unknown) => void;
}

class RemoteStorage {
  private readonly calls = new Map<number, Waiting>();
  private readonly watches = new Map<number, RemoteWatch>();
  private last = 0;
  private known = FIRST_REVISION;
  private gone: string | undefined;
  private idle: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(private readonly port: Port<Request, Answer>) {
    port.receive((answer) => this.receive(answer));
    port.closed(() => this.lose());
  }

  async ask<T extends Answered>(ask: Call, outcome: Waiting['outcome']): Promise<T> {
    this.checkOpen();
    const id = (this.last += 1);
    const answer = await new Promise<Answered>((resolve, reject) => {
      this.calls.set(id, { outcome, resolve, reject });
      this.port.post({ id, ask });
    });
    this.note(answer);
    // The owner answers each call with the type that belongs to it.
    return answer as T;
  }

  checkOpen(): void {
    if (this.gone !== undefined) throw unavailable(this.gone, 'none');
  }

  watch(range: KeyRange, { after = this.known, standing }: WatchOptions = {}): StorageWatch {
    const id = (this.last += 1);
    const watch = new RemoteWatch({
      standing,
      taken: () => this.port.post({ id, taken: true }),
      cancelled: () => {
        if (this.watches.delete(id) && this.gone === undefined) this.port.post({ id, cancel: true });
      },
    });
    if (this.gone !== undefined) return watch.over();
    this.watches.set(id, watch);
    this.port.post({ id, watch: { range, after } });
    return watch;
  }

  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    if (this.gone !== undefined) return;
    this.gone = 'the store is closed';
    for (const [id, watch] of this.watches) {
      this.port.post({ id, cancel: true });
      watch.over();
    }
    this.watches.clear();
    if (this.calls.size > 0) await new Promise<void>((idle) => (this.idle = idle));
  }

  private receive(answer: Answer): void {
    const { id } = answer;
    if ('batch' in answer) return this.watches.get(id)?.give(withBuffers(answer.batch));
    if ('standing' in answer) return this.watches.get(id)?.standing();
    const watch = this.watches.get(id);
    if (watch !== undefined) {
      this.watches.delete(id);
      return void ('failed' in answer ? watch.fail(errorOf(answer.failed)) : watch.over());
    }
    const call = this.calls.get(id);
    if (call === undefined) return;
    this.calls.delete(id);
    if ('failed' in answer) call.reject(errorOf(answer.failed));
    else if ('answer' in answer) call.resolve(answer.answer);
    if (this.calls.size === 0) this.idle?.();
  }

  /** Notes the revision, from which watches without a revision start. */
  private note(answer: Answered): void {
    if (answer === undefined) return;
    const revision =
      typeof answer === 'number'
        ? answer
        : 'revisions' in answer
          ? (answer.revisions.at(-1) ?? 0)
          : answer.revision;
    if (revision > this.known) this.known = revision;
  }

  private lose(): void {
    this.gone ??= 'the process that has the store is gone';
    const reason = this.gone;
    for (const { outcome, reject } of this.calls.values()) reject(unavailable(reason, outcome));
    for (const watch of this.watches.values()) watch.fail(unavailable(reason, 'none'));
    this.calls.clear();
    this.watches.clear();
    this.idle?.();
  }
}

const withBuffers = (batch: WatchBatch): WatchBatch => ({
  ...batch,
  events: batch.events.map((event) =>
    event.value === undefined || Buffer.isBuffer(event.value)
      ? event
      : { ...event, value: toBuffer(event.value) },
  ),
});

const errorOf = (failed: Failed): Error =>
  'failure' in failed ? new StorageError(toFailure(failed.failure)) : new Error(failed.error);

const unavailable = (reason: string, outcome: 'none' | 'unknown'): StorageError =>
  new StorageError({ code: 'unavailable', reason, outcome });
