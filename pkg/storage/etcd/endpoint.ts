/** One endpoint of etcd and the connections to it. */
import { Etcd3, type IOptions, type ITxnRequest, type KVClient } from 'etcd3';
import { ConnectTimeout } from './connecttimeout.js';
import type { Credentials } from './credentials.js';
import { waitedForConnection } from './failure.js';
import { revisionProbe, type RevisionProbe } from './revisionprobe.js';
import { rpcConnection, type RpcConnection } from './rpc/connection.js';
import { txnAnswer, txnRequest, type TxnAnswer } from './rpc/messages.js';

type CallOptions = NonNullable<Parameters<KVClient['range']>[1]>;
/** One request to one endpoint. */
export type Call<T> = (endpoint: Etcd3, options: CallOptions) => Promise<T>;
type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

/** A failed commit reads back up to 62 values of 1.4 MiB. For requests etcd's own limit is lower. */
const MAX_RECEIVE_BYTES = 100 * 1024 * 1024;
const MAX_SEND_BYTES = 8 * 1024 * 1024;
/** The longest time of a request. A watch goes on: its connection closes after it. */
const IN_FLIGHT_MS = 15_000;

/** An unknown outcome must surface as one: the package's own retries and circuit breakers are off. */
const passThrough = {
  execute: async (call: (context: { signal: AbortSignal }) => unknown) =>
    call({ signal: new AbortController().signal }),
} as Policy;

interface Connections {
  readonly etcd: Etcd3;
  /** For the calls of each write. */
  readonly rpc: RpcConnection;
  readonly probe: RevisionProbe;
}

export class Endpoint {
  readonly url: string;
  private readonly key: Buffer;
  private readonly connectTimeout = new ConnectTimeout();
  /** Connections that were replaced, until requests in flight on them have ended. */
  private readonly former = new Map<Connections, NodeJS.Timeout>();
  private credentials: Credentials;
  private current: Connections;
  private closed = false;

  /** @param key whose existence the revision probe asks for */
  constructor(url: string, credentials: Credentials, key: Buffer) {
    this.url = url;
    this.key = key;
    this.credentials = credentials;
    this.current = this.open();
  }

  /** The connections for new requests. */
  get etcd(): Etcd3 {
    return this.current.etcd;
  }

  get probe(): RevisionProbe {
    return this.current.probe;
  }

  /**
   * Calls once, with a deadline. A connection that takes too long to open is replaced. Rejects with the package's error.
   */
  async ask<T>(call: Call<T>, deadlineMs: number): Promise<T> {
    const { etcd } = this;
    const asked = performance.now();
    try {
      const answer = await call(etcd, { deadline: Date.now() + deadlineMs });
      if (etcd === this.etcd) this.connectTimeout.answered();
      return answer;
    } catch (error) {
      const isCurrent = etcd === this.etcd && !this.closed;
      if (isCurrent && waitedForConnection(error) && this.connectTimeout.isOver(asked, performance.now()))
        this.replace({ ...this.current, etcd: this.connect() }, 0);
      throw error;
    }
  }

  /**
   * Sends a transaction once, with a deadline. It goes through the package, which reports how a connection fails, where
   * the other one is not open. Rejects with the package's error, or with one of the same text.
   * @param request of ranges and deletes of one key each
   */
  async txn(request: ITxnRequest, deadlineMs: number): Promise<TxnAnswer> {
    const { rpc } = this.current;
    if (!rpc.ready()) return this.ask((etcd, options) => etcd.kv.txn(request, options), deadlineMs);
    return txnAnswer(await rpc.call('/etcdserverpb.KV/Txn', txnRequest(request), deadlineMs));
  }

  /** One call of a message that the package does not know whole. Rejects as {@link RpcConnection.call}. */
  call(method: string, message: Uint8Array, deadlineMs: number): Promise<Buffer> {
    return this.current.rpc.call(method, message, deadlineMs);
  }

  /** Whether `etcd` is a current or former connection of this endpoint. */
  has(etcd: Etcd3): boolean {
    return etcd === this.etcd || [...this.former.keys()].some((one) => one.etcd === etcd);
  }

  /** Opens connections with these credentials for new requests; requests in flight are not interrupted. */
  renew(credentials: Credentials): void {
    this.credentials = credentials;
    this.replace(this.open(), IN_FLIGHT_MS);
  }

  close(): void {
    this.closed = true;
    for (const [connections, timer] of this.former) {
      clearTimeout(timer);
      end(connections);
    }
    this.former.clear();
    end(this.current);
  }

  private connect(): Etcd3 {
    return connectTo(this.url, this.credentials);
  }

  private open(): Connections {
    const rpc = rpcConnection(this.url, this.credentials, MAX_RECEIVE_BYTES);
    return {
      etcd: this.connect(),
      rpc,
      probe: revisionProbe(rpc, this.key),
    };
  }

  /** @param closeAfterMs when those of the former connections are closed that are not among the next */
  private replace(next: Connections, closeAfterMs: number): void {
    const former = this.current;
    this.current = next;
    this.connectTimeout.opened(performance.now());
    const timer = setTimeout(() => {
      this.former.delete(former);
      former.etcd.close();
      if (former.rpc !== this.current.rpc) former.rpc.close();
    }, closeAfterMs);
    this.former.set(former, timer.unref());
  }
}

function end({ etcd, rpc }: Connections): void {
  etcd.close();
  rpc.close();
}

/** gRPC shares connections of equal options; this number makes each of ours a new one. */
let connections = 0;

function connectTo(url: string, credentials: Credentials): Etcd3 {
  return new Etcd3({
    hosts: url,
    credentials,
    faultHandling: { host: () => passThrough, global: passThrough },
    grpcOptions: {
      'management.connection': connections++,
      'grpc.max_receive_message_length': MAX_RECEIVE_BYTES,
      'grpc.max_send_message_length': MAX_SEND_BYTES,
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  });
}
