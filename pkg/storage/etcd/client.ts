/** The connection to etcd: endpoints, TLS, deadlines, which endpoint is in use. */
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Etcd3 } from 'etcd3';
import type { IOptions, IWatchRequest, IWatchResponse, KVClient } from 'etcd3';
import { classify, closedError, unavailable } from './failure.js';
import { headRevision } from './revisionprobe.js';
import { keySpace } from './keyspace.js';
import type { AnswerHeader } from './samestore.js';
import { sameStore, type SameStore } from './samestore.js';

export interface EtcdOptions {
  /** `http://host:port` or `https://host:port`, all of one cluster and one scheme. */
  readonly endpoints: readonly string[];
  /** Begins every key of this store. */
  readonly prefix: string;
  /** PEM files. Without a CA the system's roots count. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly told?: ConnectionListener;
}

/** Told of what happens to the connection. */
export interface ConnectionListener {
  /** It broke off, or moves to another endpoint: what answers next may be another store. */
  readonly interrupted?: () => void;
  /** What answers is not the store that it was: nothing is answered any more. `reason` is for people. */
  readonly lost?: (reason: string) => void;
}

type CallOptions = NonNullable<Parameters<KVClient['range']>[1]>;
type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;
/** One request to one endpoint. */
export type Call<T> = (endpoint: Etcd3, options: CallOptions) => Promise<T>;

export interface WatchStream extends Duplex {
  write(request: IWatchRequest): boolean;
  cancel(): void;
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<IWatchResponse>;
}

export interface EtcdClient {
  /** Asks once, with a deadline. Rejects with what the package throws; see `classify`. */
  once<T>(call: Call<T>, deadlineMs: number): Promise<T>;
  /** Asks until an answer or until `budgetMs` is over, one endpoint after the other. For reads only. */
  retried<T>(call: Call<T>, budgetMs?: number): Promise<T>;
  /** etcd's newest revision, linearizable. Rejects with what the package throws. */
  headRevision(): Promise<number>;
  openWatch(): Promise<WatchStream>;
  readonly same: SameStore;
  /** The watch that feeds everything has ended. */
  interrupted(): void;
  /** The endpoint that calls go to now. */
  endpoint(): Etcd3;
  /** Makes the next calls go to another endpoint, if they still go to `failed`. */
  leave(failed: Etcd3): void;
  readonly endpoints: readonly { readonly url: string; readonly etcd: Etcd3 }[];
  close(): void;
}

/** Together they are as patient as other reads, or less. */
const HEAD_MS = 1_000;
const HEAD_AGAIN_MS = 3_000;
export const READ_BUDGET_MS = 6_000;
const ATTEMPT_MS = 2_500;
const RETRY_PAUSE_MS = 50;
/** Answers: 62 values of 1.4 MiB, which a failing commit reads back, fit. Requests: etcd's own limit decides. */
const MAX_RECEIVE_BYTES = 100 * 1024 * 1024;
const MAX_SEND_BYTES = 8 * 1024 * 1024;

/** An unknown outcome must surface as one: the package's own retries and circuit breakers are off. */
const passThrough = {
  execute: async (call: (context: { signal: AbortSignal }) => unknown) =>
    call({ signal: new AbortController().signal }),
} as unknown as Policy;

/** @throws Error for options that cannot work, or a PEM file that cannot be read. */
export function connect(options: EtcdOptions): EtcdClient {
  checkEndpoints(options.endpoints);
  const credentials = readCredentials(options);
  // A key that no record has: only the header of the answer counts.
  const key = keySpace(options.prefix).dataKey('');
  const endpoints = options.endpoints.map((url) => ({
    url,
    etcd: connectTo(url, credentials),
    head: headRevision(url, credentials, key),
  }));
  const { told = {} } = options;
  const same = sameStore((reason) => told.lost?.(reason));
  let active = 0;
  let closed = false;
  const inUse = () => endpoints[active % endpoints.length] as (typeof endpoints)[number];
  const current = () => inUse().etcd;
  const leave = (failed: Etcd3) => {
    if (current() === failed) active = (active + 1) % endpoints.length;
  };

  async function once<T>(call: Call<T>, deadlineMs: number): Promise<T> {
    if (closed) throw closedError();
    same.check();
    const floor = same.reached();
    const answer = await call(current(), { deadline: Date.now() + deadlineMs });
    const { header } = answer as { readonly header?: AnswerHeader };
    if (header !== undefined) same.heard(header, floor);
    return answer;
  }

  async function retried<T>(call: Call<T>, budgetMs = READ_BUDGET_MS): Promise<T> {
    const until = Date.now() + budgetMs;
    for (;;) {
      const asked = current();
      try {
        return await once(call, Math.max(1, Math.min(ATTEMPT_MS, until - Date.now())));
      } catch (error) {
        same.check();
        const failure = classify(error);
        if (failure !== 'not sent' && failure !== 'ambiguous') throw error;
        leave(asked);
        if (closed || Date.now() + RETRY_PAUSE_MS >= until) throw unavailable(error, 'none');
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  return {
    once,
    retried,
    endpoint: current,
    leave,
    endpoints,
    async headRevision() {
      const floor = same.reached();
      let heard: AnswerHeader | undefined;
      const revision = closed ? undefined : await inUse().head.ask(HEAD_MS, (header) => (heard = header));
      if (heard !== undefined) same.heard(heard, floor);
      if (revision !== undefined) return revision;
      const request = { key, count_only: true };
      const { header } = await retried(
        (etcd, callOptions) => etcd.kv.range(request, callOptions),
        HEAD_AGAIN_MS,
      );
      return Number(header.revision);
    },
    same,
    interrupted: () => {
      if (!closed) told.interrupted?.();
    },
    openWatch: async () => {
      if (closed) throw closedError();
      same.check();
      return (await current().watchClient.watch()) as unknown as WatchStream;
    },
    close: () => {
      closed = true;
      for (const { etcd, head } of endpoints) {
        etcd.close();
        head.close();
      }
    },
  };
}

function connectTo(url: string, credentials: IOptions['credentials']): Etcd3 {
  return new Etcd3({
    hosts: url,
    credentials,
    faultHandling: { host: () => passThrough, global: passThrough },
    grpcOptions: {
      'grpc.max_receive_message_length': MAX_RECEIVE_BYTES,
      'grpc.max_send_message_length': MAX_SEND_BYTES,
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  });
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

function readCredentials({ endpoints, caFile, certFile, keyFile }: EtcdOptions): IOptions['credentials'] {
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new Error('etcd: a client certificate needs its key, and a key its certificate');
  }
  const files = [caFile, certFile, keyFile];
  if (files.every((file) => file === undefined)) return undefined;
  if (endpoints.some((endpoint) => !endpoint.startsWith('https:'))) {
    throw new Error('etcd: certificates are given, but the endpoints are not https');
  }
  const [rootCertificate, certChain, privateKey] = files.map((file) =>
    file === undefined ? undefined : readFileSync(file),
  );
  // Absent roots mean the system's, which the package's type leaves out.
  return { rootCertificate: rootCertificate as Buffer, certChain, privateKey };
}
