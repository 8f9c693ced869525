/** Opens the engine that stores its state in etcd. */
import { randomUUID } from 'node:crypto';
import type { ICompare } from 'etcd3';
import type { Storage } from '../interface.js';
import { connect, type EtcdClient, type EtcdOptions } from './client.js';
import { CommitQueue } from './commit/commit.js';
import { closedError } from './failure.js';
import type { BatchRecord } from './commit/batch.js';
import { History } from './history.js';
import { WatchMux } from './watch/watchmux.js';
import { keySpace, type KeySpace } from './keyspace.js';
import { BatchSender } from './commit/batchsender.js';
import { offsetStorage } from './offsetstorage.js';
import { Reader } from './read.js';
import { decodeValue } from './record.js';
import { etcdRevisionOf } from './revision.js';
import { readOffset } from './revisionoffset.js';
import { checkVersions, whyEndpointsDiffer } from './version.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import { type EtcdSpace, fullest, statusOf } from './space/status.js';

export type { EtcdOptions } from './client.js';

const BATCH_SENDERS = 4;
/** Records of processes that were killed are removed after a day. */
const RECORD_AGE_MS = 24 * 60 * 60 * 1000;
const REMOVE_DEADLINE_MS = 2_000;
const ENDPOINTS_EVERY_MS = 30_000;

export interface BumpOptions {
  /** For a restored store: revisions continue from here at least, and earlier ones count as compacted. */
  readonly bumpTo?: number | undefined;
}

/**
 * Connects and checks the version of every endpoint that answers. Any number of processes may open one
 * prefix.
 * @throws Error for invalid options and for an etcd that is too old
 * @throws StorageError `unavailable` when no endpoint answers
 */
export async function openEtcd(options: EtcdOptions & BumpOptions): Promise<Storage> {
  const { listener, bumpTo } = options;
  const watched = { ...listener, interrupted: () => interrupted() };
  const client = connect({ ...options, listener: watched });
  const endpoints = watchEndpoints(client);
  const stopSpace = listener?.space && watchSpace(client, listener.space);
  const stop = (): void => {
    endpoints.stop();
    stopSpace?.();
  };
  const interrupted = (): void => {
    endpoints.check();
    listener?.interrupted?.();
  };
  try {
    await checkVersions(client);
    const keys = keySpace(options.prefix);
    const offset = await readOffset(client, keys, bumpTo);
    return offsetStorage(await openOn(client, keys, stop), offset);
  } catch (error) {
    stop();
    client.close();
    throw error;
  }
}

/** Checks periodically, and after an interruption, whether all endpoints are of one cluster. */
function watchEndpoints(client: EtcdClient): { check(): void; stop(): void } {
  let checking = false;
  const check = (): void => {
    if (checking) return;
    checking = true;
    void whyEndpointsDiffer(client)
      .then((why) => {
        if (why !== undefined) client.identity.fail(why);
      })
      .finally(() => (checking = false));
  };
  const timer = setInterval(check, ENDPOINTS_EVERY_MS).unref();
  return { check, stop: () => clearInterval(timer) };
}

async function openOn(client: EtcdClient, keys: KeySpace, closed: () => void): Promise<Storage> {
  const history = new History(client, keys);
  const start = await history.current();
  await removeOldRecords(client, keys);
  const watches = new WatchMux(client, keys, history, etcdRevisionOf(start));
  const senders = Array.from(
    { length: BATCH_SENDERS },
    () => new BatchSender(client, keys.batchKey(randomUUID())),
  );
  const onRevision = (revision: number): void => history.note(revision);
  const queue = new CommitQueue({ client, senders, dataKey: keys.dataKey, onRevision });
  const reader = new Reader(client, keys, history);
  let closing: Promise<void> | undefined;
  const whenOpen = <T>(call: () => Promise<T>): Promise<T> =>
    closing === undefined ? call() : Promise.reject(closedError());

  async function close(): Promise<void> {
    closed();
    await Promise.all([queue.close(), watches.close()]);
    await Promise.all(senders.map((sender) => sender.close()));
    client.close();
  }

  return {
    capabilities: { engine: 'etcd', shared: true, durable: true },
    get: (key, readOptions) => whenOpen(() => reader.get(key, readOptions)),
    scan: (range, scanOptions) => whenOpen(() => reader.scan(range, scanOptions)),
    commit: (writes, guards) => whenOpen(() => queue.commit(writes, guards)),
    // Without a revision: from the newest that this process knows, so that no later commit is missed.
    watch: (range, { after, standing } = {}) => watches.watch(range, after ?? history.known(), standing),
    currentRevision: () =>
      whenOpen(async () => {
        const revision = await history.current();
        watches.hurry(revision);
        return revision;
      }),
    compact: (revision) => whenOpen(() => history.compact(revision)),
    close: () => (closing ??= close()),
  };
}

/** Best effort: a leftover record costs only its space. */
async function removeOldRecords(client: EtcdClient, keys: KeySpace): Promise<void> {
  try {
    const { kvs } = await client.retried((etcd, options) => etcd.kv.range(keys.batches, options));
    for (const { key, value, mod_revision } of kvs) {
      const { time } = parseStored<BatchRecord>(decodeValue(value).value);
      if (Date.now() - time < RECORD_AGE_MS) continue;
      const compare: ICompare[] = [{ key, target: 'Mod', result: 'Equal', mod_revision }];
      const success = [{ request_delete_range: { key } }];
      await client.once((etcd, call) => etcd.kv.txn({ compare, success }, call), REMOVE_DEADLINE_MS);
    }
  } catch {
    // The next start tries again.
  }
}

const EVERY_MS = 10_000;

/** Tells the space now and every ten seconds, of the members that answer. Returns what ends it. */
function watchSpace(
  { endpoints }: Pick<EtcdClient, 'endpoints'>,
  tell: (space: EtcdSpace) => void,
): () => void {
  const ask = async (): Promise<void> => {
    const answers = await Promise.allSettled(endpoints.map((endpoint) => statusOf(endpoint)));
    const members = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (members.length > 0) tell(fullest(members));
  };
  const timer = setInterval(() => void ask(), EVERY_MS).unref();
  void ask();
  return () => clearInterval(timer);
}
