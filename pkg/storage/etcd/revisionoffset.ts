/**
 * The offset of a store's revisions from etcd's, in a record of its own. Revisions of a restored store must
 * continue after all that clients have seen before, and etcd's revisions cannot be set.
 */
import type { ICompare } from 'etcd3';
import type { EtcdClient } from './client.js';
import { unavailable } from './failure.js';
import type { KeySpace } from './keyspace.js';
import { newestOf, POSITIONS } from './revision.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

const FORMAT = 1;
const WRITE_DEADLINE_MS = 3_000;

export interface RevisionOffset {
  /** A multiple of {@link POSITIONS}. */
  readonly offset: number;
  /** The oldest revision of this store, offset included. */
  readonly oldest: number;
}

/**
 * Returns the offset; undefined: there is none. Creates one if revisions are lower than `bumpTo`. Rejects
 * with StorageError, and with Error for a record of a newer release.
 */
export async function readOffset(
  client: EtcdClient,
  { offsetKey: key }: KeySpace,
  bumpTo?: number,
): Promise<RevisionOffset | undefined> {
  try {
    const { kvs, header } = await client.retried((etcd, options) => etcd.kv.range({ key }, options));
    const [found] = kvs;
    const known = found === undefined ? undefined : parse(found.value);
    const newest = newestOf(Number(header.revision));
    if (bumpTo === undefined || newest + (known?.offset ?? 0) >= bumpTo) return known;
    const offset = Math.ceil((bumpTo - newest) / POSITIONS) * POSITIONS;
    // Concurrent writes get later revisions.
    const made: RevisionOffset = { offset, oldest: newest + offset };
    const compare: ICompare[] = [
      { key, target: 'Mod', result: 'Equal', mod_revision: found?.mod_revision ?? '0' },
    ];
    const value = Buffer.from(JSON.stringify({ format: FORMAT, ...made }));
    const success = [{ request_put: { key, value } }];
    const { succeeded } = await client.once(
      (etcd, options) => etcd.kv.txn({ compare, success }, options),
      WRITE_DEADLINE_MS,
    );
    if (!succeeded) throw new Error('another process changes the revisions of the store');
    return made;
  } catch (error) {
    throw error instanceof UnknownOffset ? error : unavailable(error, 'none');
  }
}

class UnknownOffset extends Error {}

function parse(value: Buffer): RevisionOffset {
  const { format, offset, oldest } = parseStored<RevisionOffset & { format: number }>(value);
  if (format === FORMAT && Number.isSafeInteger(offset) && Number.isSafeInteger(oldest))
    return { offset, oldest };
  throw new UnknownOffset(
    `the revisions of the store have format ${format}, of a newer release than this one`,
  );
}
