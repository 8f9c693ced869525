/** The private records of administrators' keys: one for each kubeconfig that a server writes. */
import { membersOf } from '../../apimachinery/encoding/members.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import { prefixEnd, type Storage, type StoredRecord } from '../../storage/interface.js';

/** The prefix of the records' keys; the rest identifies the kubeconfig. */
export const ADMIN_KEYS = 'private/adminkey/';
/** HMAC-SHA256. */
const HASH_BYTES = 32;
/** All records. */
export const ADMIN_RECORDS = { start: ADMIN_KEYS, end: prefixEnd(ADMIN_KEYS) };

/** One record: the hash of a key, never the key. */
export interface AdminRecord {
  /** The record's key in the store. */
  readonly key: string;
  readonly hash: Buffer;
  /** The name of its OwnedAccessKey. */
  readonly accessKey: string;
  /** The uid of that OwnedAccessKey; absent: it was not created yet. Another object of that name does not count. */
  readonly uid?: string;
  /** In ms since 1970. */
  readonly created: number;
  /** When a server last marked it as in use, in ms since 1970. */
  readonly renewed: number;
  /** The revision of the record. */
  readonly revision: number;
}

/** A record that no server wrote, or that cannot be decrypted. It gives no access. */
export interface DamagedRecord {
  /** The record's key in the store. */
  readonly key: string;
  readonly revision: number;
  readonly damaged: true;
}

export interface AdminRecords {
  readonly records: readonly AdminRecord[];
  readonly damaged: readonly DamagedRecord[];
  /** The revision of the records. */
  readonly revision: number;
}

interface StoredKey {
  /** base64. */
  readonly hash: string;
  readonly accessKey: string;
  readonly uid?: string;
  /** RFC 3339. */
  readonly created: string;
  /** RFC 3339. */
  readonly renewed: string;
}

export async function readAdminRecords(storage: Storage): Promise<AdminRecords> {
  const { records, revision } = await storage.scan(ADMIN_RECORDS);
  const all = records.map(adminRecordOf);
  return {
    records: all.filter((one): one is AdminRecord => !isDamaged(one)),
    damaged: all.filter(isDamaged),
    revision,
  };
}

export const isDamaged = (record: AdminRecord | DamagedRecord): record is DamagedRecord =>
  'damaged' in record;

export function adminRecordOf({ key, value, revision }: StoredRecord): AdminRecord | DamagedRecord {
  const stored = storedKeyOf(value);
  if (stored === undefined) return { key, revision, damaged: true };
  const { accessKey, uid } = stored;
  const created = Date.parse(stored.created);
  const renewed = Date.parse(stored.renewed);
  const hash = Buffer.from(stored.hash, 'base64');
  return { key, hash, accessKey, created, renewed, revision, ...(uid !== undefined && { uid }) };
}

/** Undefined for a value that no server wrote. */
function storedKeyOf(value: Buffer): StoredKey | undefined {
  let stored: unknown;
  try {
    stored = parseStored<unknown>(value);
  } catch {
    return undefined;
  }
  return isStoredKey(stored) ? stored : undefined;
}

function isStoredKey(stored: unknown): stored is StoredKey {
  const { hash, accessKey, uid, created, renewed } = membersOf(stored);
  const isHash = typeof hash === 'string' && Buffer.from(hash, 'base64').length === HASH_BYTES;
  const isNamed = isText(accessKey) && (uid === undefined || isText(uid));
  return isHash && isNamed && isTime(created) && isTime(renewed);
}

const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';

const isTime = (text: unknown): boolean => typeof text === 'string' && !Number.isNaN(Date.parse(text));

/** The value of a record that is renewed, or created, at `now`. */
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
    accessKey,
    ...(uid !== undefined && { uid }),
    created: timeOf(created ?? now),
    renewed: timeOf(now),
  };
  return Buffer.from(JSON.stringify(stored));
}

const timeOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
