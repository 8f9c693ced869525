/** Administrators' keys in the store, for commands without a server. */
import {
  OwnedAccessKey as definition,
  type OwnedAccessKey,
} from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { keyEnd } from '../accesskeys/keyend.js';
import { resourcePrefix } from '../../registry/keys.js';
import { keyState, readKeyRecord } from '../accesskeys/keyrecord.js';
import { ORIGIN_RECORDS } from '../accesskeys/originrecord.js';
import { readUse, USE_RECORDS } from '../accesskeys/userecord.js';
import { StorageError, type Storage, type StoredRecord, type Write } from '../../storage/interface.js';
import { ADMIN_KEYS, isDamaged, readAdminRecords, type AdminRecord } from './adminrecords.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** A key without its secret. Times in ms since 1970. */
export interface AdminKeyListed {
  /** The name of its OwnedAccessKey; for a damaged record it begins with `damaged-`. */
  readonly name: string;
  /** The key of its record in the store. */
  readonly key: string;
  /** Undefined: its key record is damaged and gives no access. */
  readonly created: number | undefined;
  /** Undefined: no use was recorded. */
  readonly lastUsed: number | undefined;
  /** `revoked`: its OwnedAccessKey was deleted or has another key. */
  readonly state: 'active' | 'disabled' | 'expired' | 'revoked' | 'damaged';
}

const TRIES = 10;
const NEWLINE = 0x0a;

/** Lists the oldest first. Rejects with StorageError. */
export async function listAdminKeys(storage: Storage, now = Date.now()): Promise<AdminKeyListed[]> {
  const { records, damaged } = await readAdminRecords(storage);
  const all = await Promise.all(records.map((record) => listed(storage, record, now)));
  all.push(...damaged.map(({ key }) => damagedKey(key)));
  const age = ({ created = Infinity }: AdminKeyListed): number => created;
  return all.sort((a, b) => (age(a) === age(b) ? a.name.localeCompare(b.name, 'en') : age(a) - age(b)));
}

const damagedKey = (key: string): AdminKeyListed => ({
  name: `damaged-${key.slice(ADMIN_KEYS.length, ADMIN_KEYS.length + 12)}`,
  key,
  created: undefined,
  lastUsed: undefined,
  state: 'damaged',
});

async function listed(storage: Storage, record: AdminRecord, now: number): Promise<AdminKeyListed> {
  const { key, created, accessKey } = record;
  try {
    return await listedObject(storage, record, now);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { name: accessKey, key, created, lastUsed: undefined, state: 'damaged' };
  }
}

/** Whether the error is about the record, and not about the store. */
const isUnreadable = (error: unknown): boolean =>
  !(error instanceof StorageError) || error.failure.code === 'undecryptable';

async function listedObject(storage: Storage, record: AdminRecord, now: number): Promise<AdminKeyListed> {
  const { key, created, accessKey } = record;
  const [keyRecord, stored, use] = await Promise.all([
    get(storage, keyState.recordKey(accessKey)),
    get(storage, objectKey(accessKey)),
    get(storage, USE_RECORDS.prefix + accessKey),
  ]);
  const object = stored && objectOf(stored.value);
  const recorded = object?.status?.lastActivity;
  const used = Math.max(
    use === undefined ? 0 : readUse(use.value),
    recorded === undefined ? 0 : Date.parse(recorded),
  );
  const isThere = object !== undefined && object.metadata.uid === record.uid && isKeyOf(keyRecord, record);
  const state = isThere ? stateOf(object, used, now) : 'revoked';
  return { name: accessKey, key, created, lastUsed: used === 0 ? undefined : used, state };
}

function stateOf(object: OwnedAccessKey, used: number, now: number): AdminKeyListed['state'] {
  if (object.metadata.deletionTimestamp !== undefined) return 'revoked';
  if (object.spec?.disabled === true) return 'disabled';
  return (keyEnd(object, used) ?? Infinity) <= now ? 'expired' : 'active';
}

/**
 * Revokes the key of the record `key`: the record, the object and the key record are removed in one commit,
 * which servers of a shared store see at once. Succeeds if it does not exist. Rejects with StorageError.
 */
export async function revokeAdminKey(storage: Storage, key: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { records, damaged } = await readAdminRecords(storage);
    const record = [...records, ...damaged].find((one) => one.key === key);
    if (record === undefined) return;
    try {
      const beside = isDamaged(record) ? [] : await objectWrites(storage, record);
      await storage.commit([{ key, expect: record.revision }, ...beside]);
      return;
    } catch (error) {
      // A server was faster.
      const stale = error instanceof StorageError && ['conflict', 'not found'].includes(error.failure.code);
      if (!stale || tries === TRIES) throw error;
    }
  }
}

/** An object with another key is not removed. */
async function objectWrites(storage: Storage, record: AdminRecord): Promise<Write[]> {
  const { accessKey } = record;
  const keyRecord = await readable(get(storage, keyState.recordKey(accessKey)));
  if (keyRecord === undefined || !(await readable(Promise.resolve().then(() => isKeyOf(keyRecord, record)))))
    return [];
  const beside = [objectKey(accessKey), USE_RECORDS.prefix + accessKey, ORIGIN_RECORDS.prefix + accessKey];
  const there = (await Promise.all(beside.map((each) => get(storage, each)))).flatMap((one) => one ?? []);
  return [...keyState.forget(keyRecord), ...there.map(({ key }) => ({ key, expect: 'any' }) as const)];
}

/** Undefined for a record that cannot be read, which gives no access. */
const readable = <T>(step: Promise<T>): Promise<T | undefined> =>
  step.catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
    return undefined;
  });

const isKeyOf = (keyRecord: StoredRecord | undefined, { hash }: AdminRecord): boolean =>
  keyRecord !== undefined && readKeyRecord(keyRecord.value).hash.equals(hash);

const objectKey = (name: string): string => resourcePrefix(definition) + name;

/** A stored value is the object's JSON, a newline and a fingerprint. */
function objectOf(value: Buffer): OwnedAccessKey {
  const end = value.lastIndexOf(NEWLINE);
  return parseStored<OwnedAccessKey>(value.toString('utf8', 0, end < 0 ? value.length : end));
}

async function get(storage: Storage, key: string): Promise<StoredRecord | undefined> {
  return (await storage.get(key)).record;
}
