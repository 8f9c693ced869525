/** Converts the events of one etcd revision. Pure functions. */
import type { StorageEvent } from '../../interface.js';
import type { RawRevision } from './revisionwatch.js';
import type { BatchRecord } from '../commit/batch.js';
import type { KeySpace } from '../keyspace.js';
import { decodeValue } from '../record.js';
import { LAST_POSITION, revisionOf } from '../revision.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/** An event, and its key in etcd, for ranges. */
export interface KeyedEvent {
  readonly bytes: Buffer;
  readonly event: StorageEvent;
}

/**
 * A put contains its position; that of a delete is the position of the previous event plus one.
 * @returns undefined when the positions do not increase or exceed 63: another program made that revision, and
 *   our revisions cannot distinguish its events
 */
export function decodeRevision(
  keys: KeySpace,
  { etcdRevision, events }: RawRevision,
): KeyedEvent[] | undefined {
  const decoded: {
    bytes: Buffer;
    key: string;
    value: Buffer | undefined;
    revision: number;
    last?: boolean;
  }[] = [];
  let before = -1;
  let open: ReadonlySet<string> | undefined;
  for (const { type, kv } of events) {
    const stored = type === 'Put' ? decodeValue(kv.value) : undefined;
    const position = stored?.position ?? before + 1;
    if (position <= before || position > LAST_POSITION) return undefined;
    before = position;
    if (stored !== undefined && keys.isBatchKey(kv.key)) open = openDeletes(stored.value);
    const key = keys.nameOf(kv.key);
    if (key === undefined) continue;
    const revision = revisionOf(etcdRevision, position);
    const last = stored === undefined || stored.foreign ? undefined : stored.last;
    decoded.push({ bytes: kv.key, key, value: stored?.value, revision, last });
  }
  // Without a batch's record the whole revision is one commit.
  return decoded.map(({ bytes, key, value, revision, last }, index) => {
    const commitEnd = last ?? (open === undefined ? index === decoded.length - 1 : !open.has(key));
    return { bytes, event: { key, value, revision, commitEnd } };
  });
}

function openDeletes(record: Buffer): ReadonlySet<string> | undefined {
  try {
    return new Set(parseStored<BatchRecord>(record).open);
  } catch {
    return undefined;
  }
}
