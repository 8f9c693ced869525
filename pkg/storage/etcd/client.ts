/** The connection to etcd: endpoints, TLS, deadlines, which endpoint is in use. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Etcd3, IWatchRequest, IWatchResponse } from 'etcd3';
import { credentialFiles } from './credentials.js';
import type { CredentialFiles, CredentialOptions } from './credentials.js';
import { openEndpoint } from './endpoint.js';
import type { Call, Endpoint } from './endpoint.js';
import { classify, closedError, unavailable } from './failure.js';
import { keySpace } from './keyspace.js';
import type { AnswerHeader } from './samestore.js';
import { sameStore, type SameStore } from './samestore.js';

/** `endpoints`: `http://host:port` or `https://host:port`, all of one cluster and one scheme. */
export interface EtcdOptions extends CredentialOptions {
  /** Begins every key of this store. */
  readonly prefix: string;
  readonly listener?: ConnectionListener;
}

/** Told of what happens to the connection. */
export interface ConnectionListener {
  /** It broke off, or moves to another endpoint: what answers next may be another store. */
  readonly interrupted?: () => void;
  /** What answers is not the store that it was: nothing is answered any more. `reason` is for people. */
  readonly lost?: (reason: string) => void;
  /** Files of certificates have changed. `problem`, for people: they cannot be used, and those before are. */
  readonly certificates?: (problem?: string) => void;
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
  /** Asks once, with a deadline. Rejects with what the package throws; see `classify`. */
  once<T extends Answer>(call: Call<T>, deadlineMs: number): Promise<T>;
  /** Asks until an answer or until `budgetMs` is over, one endpoint after the other. For reads only. */
  retried<T extends Answer>(call: Call<T>, budgetMs?: number): Promise<T>;
  /** etcd's newest revision, linearizable. Rejects with what the package throws. */
  revisionProbe(): Promise<number>;
  openWatch(): Promise<WatchStream>;
  readonly same: SameStore;
  /** The watch that feeds everything has ended. */
  interrupted(): void;
  /** The endpoint that calls go to now. */
  endpoint(): Etcd3;
  /** Makes the next calls go to another endpoint, if they still go to `failed`. */
  leave(failed: Etcd3): void;
  readonly endpoints: readonly Endpoint[];
  close(): void;
}

/** Together they are as patient as other reads, or less. */
const HEAD_MS = 1_000;
const HEAD_AGAIN_MS = 3_000;
export const READ_BUDGET_MS = 6_000;
const ATTEMPT_MS = 2_500;
const RETRY_PAUSE_MS = 50;
/** After a failure: a connection may be refused for what it shows. */
const LOOK_AGAIN_MS = 1_000;

/** @throws Error for options that cannot work, or a PEM file that cannot be read. */
export function connect(options: EtcdOptions): EtcdClient {
  checkEndpoints(options.endpoints);
  return new Client(options);
}

class Client implements EtcdClient {
  readonly endpoints: readonly Endpoint[];
  readonly same: SameStore;
  readonly #listener: ConnectionListener;
  readonly #credentials: CredentialFiles;
  /** A key that no record has: only the header of the answer counts. */
  readonly #key: Buffer;
  #looked = -Infinity;
  #active = 0;
  #closed = false;

  constructor(options: EtcdOptions) {
    const listener = (this.#listener = options.listener ?? {});
    this.#credentials = credentialFiles(options, {
      changed: (next) => {
        for (const endpoint of this.endpoints) endpoint.renew(next);
        listener.certificates?.();
      },
      unusable: (reason) => listener.certificates?.(reason),
    });
    this.#key = keySpace(options.prefix).dataKey('');
    const { current } = this.#credentials;
    this.endpoints = options.endpoints.map((url) => openEndpoint(url, current, this.#key));
    this.same = sameStore((reason) => listener.lost?.(reason));
  }

  async once<T extends Answer>(call: Call<T>, deadlineMs: number): Promise<T> {
    if (this.#closed) throw closedError();
    this.same.check();
    const floor = this.same.reached();
    const answer = await this.#inUse().ask(call, deadlineMs);
    const { header } = answer;
    if (header !== undefined) this.same.heard(header, floor);
    return answer;
  }

  async retried<T extends Answer>(call: Call<T>, budgetMs = READ_BUDGET_MS): Promise<T> {
    const until = performance.now() + budgetMs;
    for (;;) {
      const asked = this.endpoint();
      try {
        return await this.once(call, Math.max(1, Math.min(ATTEMPT_MS, until - performance.now())));
      } catch (error) {
        this.same.check();
        const failure = classify(error);
        if (failure !== 'not sent' && failure !== 'ambiguous') throw error;
        this.leave(asked);
        if (this.#closed || performance.now() + RETRY_PAUSE_MS >= until) throw unavailable(error, 'none');
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  async revisionProbe(): Promise<number> {
    const floor = this.same.reached();
    let heard: AnswerHeader | undefined;
    const { head } = this.#inUse();
    const revision = this.#closed ? undefined : await head.ask(HEAD_MS, (header) => (heard = header));
    if (heard !== undefined) this.same.heard(heard, floor);
    if (revision !== undefined) return revision;
    const request = { key: this.#key, count_only: true };
    const { header } = await this.retried(
      (etcd, callOptions) => etcd.kv.range(request, callOptions),
      HEAD_AGAIN_MS,
    );
    return Number(header.revision);
  }

  async openWatch(): Promise<WatchStream> {
    if (this.#closed) throw closedError();
    this.same.check();
    // The package declares a part of what the stream of gRPC is.
    return (await this.endpoint().watchClient.watch()) as WatchStream;
  }

  interrupted(): void {
    if (!this.#closed) this.#listener.interrupted?.();
  }

  endpoint(): Etcd3 {
    return this.#inUse().etcd;
  }

  leave(failed: Etcd3): void {
    this.#look();
    if (this.#inUse().has(failed)) this.#active = (this.#active + 1) % this.endpoints.length;
  }

  close(): void {
    this.#closed = true;
    this.#credentials.stop();
    for (const endpoint of this.endpoints) endpoint.close();
  }

  #inUse(): Endpoint {
    return this.endpoints[this.#active % this.endpoints.length]!;
  }

  #look(): void {
    if (performance.now() - this.#looked < LOOK_AGAIN_MS) return;
    this.#looked = performance.now();
    void this.#credentials.look();
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
