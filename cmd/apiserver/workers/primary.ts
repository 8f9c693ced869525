/** The process that starts workers and owns what they share: the embedded store, the audit log, the port. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditFile } from '../../../pkg/audit/sink.js';
import { createLog, type Logger } from '../../../pkg/server/logging/log.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { serveStorage } from '../../../pkg/storage/remote/owner.js';
import type { Answer, Request } from '../../../pkg/storage/remote/messages.js';
import { notingRevisions } from '../../../pkg/storage/remote/revisionfile.js';
import type { Config } from '../options/complete.js';
import { announce, type RunningServer } from '../run.js';
import { openAuditFile } from '../server/auditing.js';
import { stop } from '../server/shutdownhooks.js';
import { openEngine } from '../../../pkg/management/upkeep/openstorage.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';
import { Gathering } from './gathering.js';
import { Ipc } from './ipc.js';
import {
  revisionFileIn,
  STORE_VARIABLE,
  type ReadyWorker,
  type ToPrimary,
  type ToWorker,
} from './messages.js';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';

/** The delay between the end of a worker and the start of its replacement. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A worker that served for this time is replaced without delay. */
const STEADY_MS = 60_000;
/** A worker is killed and replaced after this number of unanswered pings. */
const PING_MS = 5_000;
const MISSED_PINGS = 6;
/** The time after the shutdown delay; a server stops within ten seconds. */
const STOP_MS = 11_000;

/** Starts the workers. Throws StartError, also of the first worker. */
export async function runPrimary(config: Config, write: (text: string) => void): Promise<RunningServer> {
  const log = createLog({ verbosity: config.verbosity });
  const store = config.storage.engine === 'embedded' ? await openShared(config.storage) : undefined;
  const primary = new Primary(config, log, store, openAuditFile(config.audit));
  try {
    const ready = await primary.start();
    announce(config, ready, write);
    return { ...ready, stop: () => primary.stop() };
  } catch (error) {
    await primary.stop();
    throw error;
  }
}

/** Opens the store, whose newest revision the workers read from a file. Throws StartError. */
async function openShared(storage: Extract<StorageConfig, { engine: 'embedded' }>): Promise<Storage> {
  const store = await openEngine(storage, {});
  return notingRevisions(store, await store.currentRevision(), revisionFileIn(storage.directory));
}

class Primary {
  private stopping = false;
  private readonly gathering = new Gathering<Worker>();
  private readonly connections = new Map<Worker, Ipc<ToWorker, ToPrimary>>();
  private readonly serving = new Set<Worker>();
  private auditing: Promise<unknown> = Promise.resolve();
  private pauseMs = FIRST_PAUSE_MS;

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    private readonly store: Storage | undefined,
    private readonly audit: AuditFile | undefined,
  ) {
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /** The first worker creates what all need: certificate, keys, kubeconfig. */
  async start(): Promise<ReadyWorker> {
    const first = await this.fork();
    const others = Array.from({ length: this.config.workers - 1 }, () => this.fork());
    await Promise.all(others);
    return first;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const ended = [...this.connections].map(async ([worker, ipc]) => {
      const exit = new Promise((resolve) => worker.once('exit', resolve));
      ipc.send({ stop: true });
      const cut = setTimeout(() => worker.process.kill('SIGKILL'), this.config.shutdownDelayMs + STOP_MS);
      await exit;
      clearTimeout(cut);
    });
    await Promise.all(ended);
    // Closed in the reverse order, with a timeout.
    await stop([() => this.store?.close(), () => this.audit?.close(), () => this.auditing], this.log);
  }

  /**
   * Resolves when the worker serves. Rejects with StartError if it ends before; one that ends later is
   * replaced.
   */
  private fork(): Promise<ReadyWorker> {
    const { storage } = this.config;
    const worker = cluster.fork(storage.engine === 'embedded' ? { [STORE_VARIABLE]: storage.directory } : {});
    const ipc = new Ipc<ToWorker, ToPrimary>(worker);
    this.connections.set(worker, ipc);
    this.serve(worker, ipc);
    return new Promise((resolve, reject) => {
      let servesSince: number | undefined;
      let refusal: string | undefined;
      ipc.receive((message) => {
        if ('refused' in message) refusal = message.refused;
        if (!('ready' in message)) return;
        servesSince = performance.now();
        this.serving.add(worker);
        this.watchOver(worker, ipc);
        resolve(message.ready);
      });
      const ended = (how: string): void => {
        if (!this.connections.delete(worker)) return;
        this.serving.delete(worker);
        this.gathering.gone(worker);
        if (servesSince === undefined) return reject(new StartError(how));
        if (this.stopping) return;
        this.log.error({ worker: worker.process.pid, reason: how }, 'a worker ended, and is replaced');
        if (performance.now() - servesSince >= STEADY_MS) this.pauseMs = FIRST_PAUSE_MS;
        void this.replace();
      };
      worker.once('exit', (code, signal) =>
        ended(refusal ?? `a worker ended with ${signal ?? `code ${code}`}`),
      );
      // Also emitted for a worker that is about to end and gets no messages any more.
      worker.on('error', (error) => {
        if (worker.process.pid === undefined) ended(inWords(error));
      });
    });
  }

  /** Delays each replacement longer, until a worker has served for a while. */
  private async replace(): Promise<void> {
    await sleep(this.pauseMs);
    this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
    if (this.stopping) return;
    try {
      await this.fork();
    } catch (error) {
      if (this.stopping) return;
      this.log.error({ reason: inWords(error) }, 'a worker cannot start');
      await this.replace();
    }
  }

  /** Kills a worker that hangs: it gets no connections, so no probe would detect it. */
  private watchOver(worker: Worker, ipc: Ipc<ToWorker, ToPrimary>): void {
    let missed = 0;
    ipc.receive((message) => {
      if ('pong' in message) missed = 0;
    });
    const pings = setInterval(() => {
      missed += 1;
      if (missed <= MISSED_PINGS) return ipc.send({ ping: true });
      this.log.error({ worker: worker.process.pid }, 'a worker does not answer, and is killed');
      worker.process.kill('SIGKILL');
    }, PING_MS).unref();
    worker.once('exit', () => clearInterval(pings));
  }

  private serve(worker: Worker, ipc: Ipc<ToWorker, ToPrimary>): void {
    if (this.store !== undefined)
      serveStorage(this.store, {
        post: (answer: Answer) => ipc.send({ store: answer }),
        receive: (listener: (request: Request) => void) =>
          ipc.receive((message) => {
            if ('store' in message) listener(message.store);
          }),
        closed: (listener) => ipc.closed(listener),
      });
    ipc.receive((message) => {
      if ('audit' in message) this.append(ipc, message.audit);
      if ('collected' in message) this.gathering.collected(worker, message.collected);
      if ('gather' in message) this.gather(ipc, message.gather);
    });
  }

  private gather(asker: Ipc<ToWorker, ToPrimary>, id: number): void {
    const answered = this.gathering.begin([...this.serving], (worker, round) =>
      this.connections.get(worker)?.send({ collect: round }),
    );
    void answered.then((metrics) => asker.send({ gathered: { id, metrics } }));
  }

  /** Appends one text after the other. */
  private append(ipc: Ipc<ToWorker, ToPrimary>, { id, text }: { id: number; text: string }): void {
    const appended = this.auditing.then(() => this.audit?.append(text));
    this.auditing = appended.catch(() => undefined);
    appended.then(
      () => ipc.send({ audited: { id } }),
      (error: unknown) => ipc.send({ audited: { id, problem: inWords(error) } }),
    );
  }
}
