/** A worker: a server that shares its store, audit log and metrics with other processes. */
import type { MetricObject } from 'prom-client';
import type { AuditFile } from '../../../pkg/audit/sink.js';
import type { Metrics } from '../../../pkg/server/metrics/metrics.js';
import { openMetrics, prefersOpenMetrics, withExemplars } from '../../../pkg/server/metrics/openmetrics.js';
import { createLog } from '../../../pkg/server/logging/log.js';
import type { FlowLimits } from '../../../pkg/server/filters/flowcontrol/flowcontrol.js';
import { openRevisionReader } from '../../../pkg/storage/remote/revisionfile.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { openRemote } from '../../../pkg/storage/remote/open.js';
import type { Config } from '../options/complete.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import { run, type RunningServer } from '../run.js';
import { Ipc } from './ipc.js';
import { revisionFileIn, STORE_VARIABLE, type ToPrimary, type ToWorker } from './messages.js';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';

/** Numbered requests to another process until they are answered. */
class Pending<Answer> {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private last = 0;

  /** Sends a request with a new number; resolves with the argument of {@link answer} for it. */
  ask(send: (id: number) => void): Promise<Answer> {
    return new Promise((resolve) => {
      const id = (this.last += 1);
      this.waiting.set(id, resolve);
      send(id);
    });
  }

  answer(id: number, answer: Answer): void {
    this.waiting.get(id)?.(answer);
    this.waiting.delete(id);
  }
}

type PrimaryIpc = Ipc<ToPrimary, ToWorker>;

/**
 * Runs until the primary process says to stop, or has ended. It ignores signals, which all processes of a
 * terminal get.
 */
export async function runWorker(config: Config): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  const primary: PrimaryIpc = new Ipc<ToPrimary, ToWorker>(process);
  const log = createLog({ verbosity: config.verbosity }).child({ worker: process.pid });
  let server: RunningServer | undefined;
  primary.receive((message) => {
    if ('ping' in message) primary.send({ pong: true });
    if (!('stop' in message)) return;
    const stopped = server?.stop() ?? Promise.resolve();
    void stopped.then(() => process.exit(0));
  });
  try {
    checkStore(config.storage);
    server = await run(configOf(config, primary), () => undefined, log);
    const { url, authority, consoleLink } = server;
    primary.send({ ready: { url, authority, consoleLink } });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    primary.send({ refused: error.message });
    primary.flush();
    process.disconnect();
  }
}

/** Checks the store, as a replacement reads its configuration again. Throws StartError. */
function checkStore(storage: StorageConfig): void {
  const store = process.env[STORE_VARIABLE];
  if (store !== undefined && (storage.engine !== 'embedded' || storage.directory !== store))
    throw new StartError(
      `the configuration has another store than the server, which has ${store}: restart the server`,
    );
}

/** The configuration of one worker. */
function configOf(config: Config, primary: PrimaryIpc): Config {
  return {
    ...config,
    storage: storageOf(config.storage, primary),
    audit: { ...config.audit, file: sharedAuditFile(primary) },
    limits: shareOf(config.limits, config.workers),
    sharedMetrics: (own) => sharedMetrics(own, primary),
  };
}

function storageOf(storage: StorageConfig, primary: PrimaryIpc): StorageConfig {
  if (storage.engine !== 'embedded') return storage;
  const port = {
    post: (request: Extract<ToPrimary, { store: unknown }>['store']) => primary.send({ store: request }),
    receive: (listener: (answer: Extract<ToWorker, { store: unknown }>['store']) => void) =>
      primary.receive((message) => {
        if ('store' in message) listener(message.store);
      }),
    closed: (listener: () => void) => primary.closed(listener),
  };
  const capabilities = { engine: 'embedded', shared: true, durable: true };
  const open = (): Storage =>
    openRemote(port, { capabilities, revisions: openRevisionReader(revisionFileIn(storage.directory)) });
  return { ...storage, open };
}

/** The worker's share of each limit, which is for all workers together; 0 stays unlimited. */
function shareOf({ reads, writes, watches, streams }: FlowLimits, workers: number): FlowLimits {
  const share = (limit: number): number => Math.ceil(limit / workers);
  return { reads: share(reads), writes: share(writes), watches: share(watches), streams };
}

/** The primary process writes, so that lines of several workers do not mix and only one rotates files. */
function sharedAuditFile(primary: PrimaryIpc): AuditFile {
  const appends = new Pending<string | undefined>();
  primary.receive((message) => {
    if ('audited' in message) appends.answer(message.audited.id, message.audited.problem);
  });
  return {
    async append(text) {
      const problem = await appends.ask((id) => primary.send({ audit: { id, text } }));
      if (problem !== undefined) throw new Error(problem);
    },
    close: () => Promise.resolve(),
  };
}

/** Any worker returns the metrics of all. */
function sharedMetrics(own: Metrics, primary: PrimaryIpc): Metrics {
  const reads = new Pending<readonly (readonly MetricObject[])[]>();
  primary.receive((message) => {
    if ('collect' in message)
      void own
        .collect()
        .catch(() => [])
        .then((metrics) => primary.send({ collected: { id: message.collect, metrics } }));
    if ('gathered' in message) reads.answer(message.gathered.id, message.gathered.metrics);
  });
  return {
    ...own,
    async read(accept = '') {
      const all = await reads.ask((id) => primary.send({ gather: id }));
      const { AggregatorRegistry } = await import('prom-client');
      const registry = AggregatorRegistry.aggregate(all.map((metrics) => [...metrics]));
      if (own.traced && prefersOpenMetrics(accept))
        return openMetrics(withExemplars(await registry.getMetricsAsJSON(), all));
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
