/** The private records of administrators' keys: one for each kubeconfig that a server was told to write. */
import { prefixEnd, type Storage, type StoredRecord } from '../storage/interface.js';

/** Begins the keys of the records; what follows names the kubeconfig. */
export const ADMIN_KEYS = 'private/adminkey/';
/** All records. */
export const ADMIN_RECORDS = { start: ADMIN_KEYS, end: prefixEnd(ADMIN_KEYS) };

/** One record: the hash of a key, never the key. */
export interface AdminRecord {
  /** The record's key in the store. */
  readonly key: string;
  readonly hash: Buffer;
  /** Name of the OwnedAccessKey that it is in force with; absent: a key of an earlier release, in force by itself. */
  readonly accessKey?: string;
  /** Of that OwnedAccessKey; absent: it was not made yet, or by an earlier release never. Another of the name is none. */
  readonly uid?: string;
  /** In ms since 1970. */
  readonly created: number;
  /** When a server last said that it still uses it, in ms since 1970. */
  readonly renewed: number;
  /** The revision of the record. */
  readonly revision: number;
}

export interface AdminRecords {
  readonly records: readonly AdminRecord[];
  /** The revision at which this was true. */
  readonly revision: number;
}

interface StoredKey {
  /** base64. */
  readonly hash: string;
  readonly accessKey?: string;
  readonly uid?: string;
  /** RFC 3339. */
  readonly created: string;
  /** RFC 3339; absent: not since it was created. */
  readonly renewed?: string;
}

export async function readAdminRecords(storage: Storage): Promise<AdminRecords> {
  const { records, revision } = await storage.scan(ADMIN_RECORDS);
  return { records: records.map(adminRecordOf), revision };
}

/** Throws on a value that no release wrote. */
export function adminRecordOf({ key, value, revision }: StoredRecord): AdminRecord {
  const stored = JSON.parse(value.toString('utf8')) as StoredKey;
  const { accessKey, uid } = stored;
  const created = Date.parse(stored.created);
  const renewed = stored.renewed === undefined ? created : Date.parse(stored.renewed);
  const hash = Buffer.from(stored.hash, 'base64');
  const object = { ...(accessKey !== undefined && { accessKey }), ...(uid !== undefined && { uid }) };
  return { key, hash, created, renewed, revision, ...object };
}

/** The value of a record that is renewed at `now`, or created then. */
export function adminRecordValue(
  {
    hash,
    accessKey,
    uid,
    created,
  }: Pick<AdminRecord, 'hash' | 'accessKey' | 'uid'> & { readonly created?: number },
  now: number,
): Buffer {
  const stored: StoredKey = {
    hash: hash.toString('base64'),
    ...(accessKey !== undefined && { accessKey }),
    ...(uid !== undefined && { uid }),
    created: timeOf(created ?? now),
    renewed: timeOf(now),
  };
  return Buffer.from(JSON.stringify(stored));
}

const timeOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
