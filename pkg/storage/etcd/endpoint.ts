/** One URL of etcd, and the connections there. */
import { Etcd3 } from 'etcd3';
import type { IOptions } from 'etcd3';
import type { Credentials } from './credentials.js';
import { revisionProbe } from './revisionprobe.js';
import type { RevisionProbe } from './revisionprobe.js';

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

export interface Endpoint {
  readonly url: string;
  /** Those that new requests go by. */
  readonly etcd: Etcd3;
  readonly head: RevisionProbe;
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
  const open = (shown: Credentials): Connections => ({
    etcd: connectTo(url, shown),
    head: revisionProbe(url, shown, key),
  });
  const end = ({ etcd, head }: Connections): void => {
    etcd.close();
    head.close();
  };
  let current = open(credentials);
  const former = new Map<Connections, NodeJS.Timeout>();
  return {
    url,
    get etcd() {
      return current.etcd;
    },
    get head() {
      return current.head;
    },
    renew(next) {
      const before = current;
      current = open(next);
      const timer = setTimeout(() => {
        former.delete(before);
        end(before);
      }, UNDER_WAY_MS);
      former.set(before, timer.unref());
    },
    close() {
      for (const [connections, timer] of former) {
        clearTimeout(timer);
        end(connections);
      }
      former.clear();
      end(current);
    },
  };
}

function connectTo(url: string, credentials: Credentials): Etcd3 {
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
