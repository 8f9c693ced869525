/** The connection to etcd: endpoints, TLS, deadlines, and the endpoint in use. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Etcd3, ITxnRequest, IWatchRequest, IWatchResponse, WatchClient } from 'etcd3';
import { credentialFiles, type CredentialFiles, type CredentialOptions } from './credentials.js';
import { type Call, Endpoint } from './endpoint.js';
import { classify, closedError, unavailable } from './failure.js';
import { keySpace } from './keyspace.js';
import type { TxnAnswer } from './rpc/messages.js';
import type { EtcdSpace } from './space/status.js';
import { type AnswerHeader, StoreIdentity } from './storeidentity.js';

type Options = NonNullable<Parameters<WatchClient['watch']>[0]>;
type Interceptor = NonNullable<Options['interceptors']>[number];

/** Its type asks for the class of the package, which calls only what the interface has. */
const isCall = (call: object): call is ReturnType<Interceptor> => 'cancelWithStatus' in call;

/** A member without a leader would answer and send no events. It ends the stream with `etcdserver: no leader` three election timeouts after it lost the leader, or at once. */
const requireLeader: Interceptor = (options, next) => {
  const call = next(options);
  const start = call.start.bind(call);
  call.start = (metadata, listener) => {
    metadata.set('hasleader', 'true');
    start(metadata, listener);
  };
  if (!isCall(call)) throw new Error('the gRPC package gave a call that cannot be cancelled');
  return call;
};

const WITH_LEADER: Options = { interceptors: [requireLeader] };

/** `endpoints`: `http://host:port` or `https://host:port`, all of one cluster and one scheme. */
export interface EtcdOptions extends CredentialOptions {
  /** Begins every key of this store. */
  readonly prefix: string;
  readonly listener?: ConnectionListener;
}

/** Receives events of the connection. */
export interface ConnectionListener {
  /** The connection broke, or moved to another endpoint, which may be another store. */
  readonly interrupted?: () => void;
  /** The store is not the same one any more: every later call fails. `reason` is for people. */
  readonly lost?: (reason: string) => void;
  /** Certificate files have changed. `problem`, for people: they cannot be used, and the former ones stay in use. */
  readonly certificates?: (problem?: string) => void;
  /** How full etcd is: after it was opened, and every ten seconds. */
  readonly space?: (space: EtcdSpace) => void;
}

interface Answer {
  readonly header?: AnswerHeader;
}

export interface WatchStream extends Duplex {
  write(request: IWatchRequest): boolean;
  cancel(): void;
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<IWatchResponse>;
}

export interface EtcdClient {
  /** Calls once, with a deadline. Rejects with the package's error; see `classify`. */
  once<T extends Answer>(call: Call<T>, deadlineMs: number): Promise<T>;
  /** The same for a transaction, of ranges and deletes of one key each. */
  txn(request: ITxnRequest, deadlineMs: number): Promise<TxnAnswer>;
  /** Retries on one endpoint after the other until one answers or `budgetMs` is over. For reads only. */
  retried<T extends Answer>(call: Call<T>, budgetMs?: number): Promise<T>;
  /** etcd's newest revision, linearizable. Rejects with the package's error. */
  revisionProbe(): Promise<number>;
  openWatch(): Promise<WatchStream>;
  readonly identity: StoreIdentity;
  /** Reports that the watch mux has ended. */
  interrupted(): void;
  /** The endpoint in use. */
  endpoint(): Etcd3;
  /** Switches to another endpoint if `failed` is still in use. */
  leave(failed: Etcd3): void;
  readonly endpoints: readonly Endpoint[];
  close(): void;
}

/** Together at most the timeout of other reads. */
const PROBE_MS = 1_000;
const PROBE_RETRY_MS = 3_000;
const READ_BUDGET_MS = 6_000;
const ATTEMPT_MS = 2_500;
const RETRY_PAUSE_MS = 50;
/** The least time between reloads of the credentials after failures, one of which they may have caused. */
const RELOAD_MS = 1_000;

/** @throws Error for options that cannot work, or a PEM file that cannot be read. */
export function connect(options: EtcdOptions): EtcdClient {
  checkEndpoints(options.endpoints);
  return new Client(options);
}

class Client implements EtcdClient {
  readonly endpoints: readonly Endpoint[];
  readonly identity: StoreIdentity;
  private readonly listener: ConnectionListener;
  private readonly credentials: CredentialFiles;
  /** The key of no record: only the header of the answer is read. */
  private readonly key: Buffer;
  private reloadedAt = -Infinity;
  private active = 0;
  private closed = false;

  constructor(options: EtcdOptions) {
    const listener = (this.listener = options.listener ?? {});
    this.credentials = credentialFiles(options, {
      changed: (next) => {
        for (const endpoint of this.endpoints) endpoint.renew(next);
        listener.certificates?.();
      },
      unusable: (reason) => listener.certificates?.(reason),
    });
    this.key = keySpace(options.prefix).dataKey('');
    const { current } = this.credentials;
    this.endpoints = options.endpoints.map((url) => new Endpoint(url, current, this.key));
    this.identity = new StoreIdentity((reason) => listener.lost?.(reason));
  }

  once<T extends Answer>(call: Call<T>, deadlineMs: number): Promise<T> {
    return this.checked((endpoint) => endpoint.ask(call, deadlineMs));
  }

  txn(request: ITxnRequest, deadlineMs: number): Promise<TxnAnswer> {
    return this.checked((endpoint) => endpoint.txn(request, deadlineMs));
  }

  private async checked<T extends Answer>(ask: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    if (this.closed) throw closedError();
    this.identity.check();
    const floor = this.identity.newestRevision();
    const answer = await ask(this.inUse());
    const { header } = answer;
    if (header !== undefined) this.identity.checkLinearizable(header, floor);
    return answer;
  }

  async retried<T extends Answer>(call: Call<T>, budgetMs = READ_BUDGET_MS): Promise<T> {
    const until = performance.now() + budgetMs;
    for (;;) {
      const asked = this.endpoint();
      try {
        return await this.once(call, Math.max(1, Math.min(ATTEMPT_MS, until - performance.now())));
      } catch (error) {
        this.identity.check();
        const failure = classify(error);
        if (failure !== 'not sent' && failure !== 'ambiguous') throw error;
        this.leave(asked);
        if (this.closed || performance.now() + RETRY_PAUSE_MS >= until) throw unavailable(error, 'none');
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  async revisionProbe(): Promise<number> {
    const floor = this.identity.newestRevision();
    let probed: AnswerHeader | undefined;
    const { probe } = this.inUse();
    const revision = this.closed ? undefined : await probe.ask(PROBE_MS, (header) => (probed = header));
    if (probed !== undefined) this.identity.checkLinearizable(probed, floor);
    if (revision !== undefined) return revision;
    const request = { key: this.key, count_only: true };
    const { header } = await this.retried(
      (etcd, callOptions) => etcd.kv.range(request, callOptions),
      PROBE_RETRY_MS,
    );
    return Number(header.revision);
  }

  async openWatch(): Promise<WatchStream> {
    if (this.closed) throw closedError();
    this.identity.check();
    // The package's type lacks members of the gRPC stream.
    return (await this.endpoint().watchClient.watch(WITH_LEADER)) as WatchStream;
  }

  interrupted(): void {
    if (!this.closed) this.listener.interrupted?.();
  }

  endpoint(): Etcd3 {
    return this.inUse().etcd;
  }

  leave(failed: Etcd3): void {
    this.reloadCredentials();
    if (this.inUse().has(failed)) this.active = (this.active + 1) % this.endpoints.length;
  }

  close(): void {
    this.closed = true;
    this.credentials.stop();
    for (const endpoint of this.endpoints) endpoint.close();
  }

  private inUse(): Endpoint {
    return this.endpoints[this.active % this.endpoints.length]!;
  }

  private reloadCredentials(): void {
    if (performance.now() - this.reloadedAt < RELOAD_MS) return;
    this.reloadedAt = performance.now();
    void this.credentials.reload();
  }
}

function checkEndpoints(endpoints: readonly string[]): void {
  if (endpoints.length === 0) throw new Error('etcd: no endpoint given');
  const schemes = endpoints.map((endpoint) => {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    const plain = url?.pathname === '/' && url.search === '' && url.username === '' && url.host !== '';
    if (!plain || !/^https?:$/.test(url.protocol)) {
      throw new Error('etcd: an endpoint must look like https://host:port');
    }
    return url.protocol;
  });
  if (new Set(schemes).size > 1) throw new Error('etcd: endpoints must be all https or all http');
}
