/** One URL of etcd, and the connections there. */
import { Etcd3 } from 'etcd3';
import type { IOptions, KVClient } from 'etcd3';
import { ConnectTimeout } from './connecttimeout.js';
import type { Credentials } from './credentials.js';
import { waitedForConnection } from './failure.js';
import { revisionProbe } from './revisionprobe.js';
import type { RevisionProbe } from './revisionprobe.js';

type CallOptions = NonNullable<Parameters<KVClient['range']>[1]>;
/** One request to one endpoint. */
export type Call<T> = (endpoint: Etcd3, options: CallOptions) => Promise<T>;
type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

export interface Endpoint {
  readonly url: string;
  /** Those that new requests go by. */
  readonly etcd: Etcd3;
  readonly head: RevisionProbe;
  /**
   * Asks once, with a deadline. A connection that is being opened for too long is closed, and another is opened.
   * Rejects with what the package throws.
   */
  ask<T>(call: Call<T>, deadlineMs: number): Promise<T>;
  /** Whether `etcd` is of here, now or a moment ago. */
  has(etcd: Etcd3): boolean;
  /** From here on new requests go by connections with these; what is under way ends as it began. */
  renew(credentials: Credentials): void;
  close(): void;
}

/** Answers: 62 values of 1.4 MiB, which a failing commit reads back, fit. Requests: etcd's own limit decides. */
const MAX_RECEIVE_BYTES = 100 * 1024 * 1024;
const MAX_SEND_BYTES = 8 * 1024 * 1024;
/** No request takes longer. A watch goes on, on a connection that is told to end after it. */
const UNDER_WAY_MS = 15_000;

/** An unknown outcome must surface as one: the package's own retries and circuit breakers are off. */
const passThrough = {
  execute: async (call: (context: { signal: AbortSignal }) => unknown) =>
    call({ signal: new AbortController().signal }),
} as Policy;

interface Connections {
  readonly etcd: Etcd3;
  readonly head: RevisionProbe;
}

/** @param key of which only is asked whether it is there */
export function openEndpoint(url: string, credentials: Credentials, key: Buffer): Endpoint {
  const open = (credentials: Credentials): Connections => ({
    etcd: connectTo(url, credentials),
    head: revisionProbe(url, credentials, key),
  });
  const connectTimeout = new ConnectTimeout();
  let shown = credentials;
  let current = open(shown);
  let closed = false;
  const former = new Map<Connections, NodeJS.Timeout>();
  /** @param underWayMs how long what is under way may take */
  const replace = (underWayMs: number): void => {
    const before = current;
    current = open(shown);
    connectTimeout.opened(performance.now());
    const timer = setTimeout(() => {
      former.delete(before);
      end(before);
    }, underWayMs);
    former.set(before, timer.unref());
  };
  return {
    url,
    get etcd() {
      return current.etcd;
    },
    get head() {
      return current.head;
    },
    async ask(call, deadlineMs) {
      const { etcd } = current;
      const asked = performance.now();
      try {
        const answer = await call(etcd, { deadline: Date.now() + deadlineMs });
        if (etcd === current.etcd) connectTimeout.answered();
        return answer;
      } catch (error) {
        const isCurrent = etcd === current.etcd && !closed;
        if (isCurrent && waitedForConnection(error) && connectTimeout.isOver(asked, performance.now()))
          replace(0);
        throw error;
      }
    },
    has: (etcd) => etcd === current.etcd || [...former.keys()].some((one) => one.etcd === etcd),
    renew(next) {
      shown = next;
      replace(UNDER_WAY_MS);
    },
    close() {
      closed = true;
      for (const [connections, timer] of former) {
        clearTimeout(timer);
        end(connections);
      }
      former.clear();
      end(current);
    },
  };
}

function end({ etcd, head }: Connections): void {
  etcd.close();
  head.close();
}

/** gRPC shares the connections of equal options: one that is given up must not be met again. */
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
