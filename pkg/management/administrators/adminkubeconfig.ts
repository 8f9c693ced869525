/** The administrator's kubeconfig of `--write-kubeconfig`. Each file has its own key. */
import { createHash, type KeyObject } from 'node:crypto';
import { hostname } from 'node:os';
import { StorageError, type Storage, type Write } from '../../storage/interface.js';
import { contentOf, tokenOf } from '../../pki/kubeconfig.js';
import { generateKey, hashKey, isKey, sameHash } from '../accesskeys/accesskey.js';
import { kubeconfigText, readKubeconfig, writeKubeconfig, type KubeconfigFile } from './kubeconfigfile.js';
import {
  ADMIN_KEYS,
  adminRecordValue,
  readAdminRecords,
  type AdminRecord,
  type AdminRecords,
} from './adminrecords.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How often a running server marks its key as in use. */
export const RENEW_MS = DAY_MS;
/** A key that no server has used for this time is revoked, as its server is gone. */
const UNUSED_MS = 30 * DAY_MS;

/** An OwnedAccessKey; without a uid it does not exist yet. */
interface AdminAccessKey {
  readonly accessKey: string;
  readonly uid?: string;
}

/** The OwnedAccessKeys of administrators' keys. */
export interface AdminAccessKeys {
  /** Whether the token is valid as an administrator's. */
  isInForce(token: string): boolean;
  newName(): string;
  /** Returns the uid. */
  create(name: string, token: string): Promise<string>;
  /** Succeeds if it does not exist. */
  remove(name: string): Promise<void>;
}

export interface AdminKubeconfig {
  readonly storage: Storage;
  readonly accessKeys: AdminAccessKeys;
  readonly pepper: KeyObject;
  /** Absolute. */
  readonly path: string;
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  /** The id of the store, which the file contains. */
  readonly storeId: string;
  /** In ms since 1970; absent: now. */
  readonly now?: number;
}

/** A key in force. */
export interface KeptKey {
  /** The key of its record in the store. */
  readonly record: string;
  /** The name of its OwnedAccessKey. */
  readonly accessKey: string;
}

/**
 * Ensures that `path` holds a kubeconfig with a valid administrator's key. A valid key in the file is kept;
 * otherwise a new one replaces the previous key of this file on this machine, and no other: servers that
 * share a store have separate keys. The file is written before the store, so a valid key is never lost; a
 * conflict with another server that writes the same record is retried. Each key has an OwnedAccessKey. A key
 * without one, for example after it was revoked, never becomes valid again.
 */
export async function keepAdminKubeconfig(options: AdminKubeconfig): Promise<KeptKey> {
  for (;;) {
    const [all, file] = await Promise.all([
      readAdminRecords(options.storage),
      readKubeconfig(options.path, options.storeId),
    ]);
    const { records } = all;
    const held = file.text === undefined ? undefined : tokenOf(file.text);
    const inForce = recordInForce(options, records, held);
    const token = inForce === undefined || held === undefined ? generateKey() : held;
    await writeIfChanged(options, token, file);
    const own = inForce?.key ?? recordKey(options.path);
    const { accessKey, uid } =
      inForce ??
      (await newAccessKey(
        options,
        records.find(({ key }) => key === own),
      ));
    const hash = hashKey(token, options.pepper);
    if (!(await record(options, all, own, { hash, accessKey, ...(uid !== undefined && { uid }) }))) continue;
    if (uid === undefined) await makeAccessKey(options, own, accessKey, token);
    return { record: own, accessKey };
  }
}

/** Names the OwnedAccessKey of a new key, after deleting that of the key before. */
async function newAccessKey(
  { accessKeys }: AdminKubeconfig,
  before: AdminRecord | undefined,
): Promise<AdminAccessKey> {
  if (before !== undefined) await accessKeys.remove(before.accessKey);
  return { accessKey: accessKeys.newName() };
}

/** Creates the object that a record names, and writes its uid to the record. */
async function makeAccessKey(
  { storage, accessKeys, now = Date.now() }: AdminKubeconfig,
  key: string,
  accessKey: string,
  token: string,
): Promise<void> {
  const uid = await accessKeys.create(accessKey, token);
  for (;;) {
    const found = (await readAdminRecords(storage)).records.find((one) => one.key === key);
    // Another server has replaced the key in the record meanwhile.
    if (found?.accessKey !== accessKey) return accessKeys.remove(accessKey);
    const value = adminRecordValue({ ...found, uid }, now);
    if (await commit(storage, [{ key, value, expect: found.revision }])) return;
  }
}

/** Marks the key of a record as in use. A record that was deleted or changed meanwhile is left alone. */
export async function renewAdminKey(storage: Storage, key: string, now = Date.now()): Promise<void> {
  const found = (await readAdminRecords(storage)).records.find((one) => one.key === key);
  if (found === undefined) return;
  await commit(storage, [{ key, value: adminRecordValue(found, now), expect: found.revision }]);
}

/** Identifies the file on this machine without revealing its path. */
function recordKey(path: string): string {
  const name = createHash('sha256').update(`${hostname()}\0${path}`).digest('hex');
  return ADMIN_KEYS + name.slice(0, 32);
}

function recordInForce(
  { pepper, accessKeys }: AdminKubeconfig,
  records: readonly AdminRecord[],
  held: string | undefined,
): AdminRecord | undefined {
  if (held === undefined || !isKey(held)) return undefined;
  const hash = hashKey(held, pepper);
  const found = records.find((one) => sameHash(one.hash, hash));
  return found?.uid !== undefined && accessKeys.isInForce(held) ? found : undefined;
}

/** Leaves a file with this server and key unchanged, including additions of its owner. */
async function writeIfChanged(
  { server, authority, path, storeId }: AdminKubeconfig,
  token: string,
  file: KubeconfigFile,
): Promise<void> {
  const text = kubeconfigText({ server, authority, token }, storeId);
  if (text === file.text && !file.shared) return;
  const content = file.text === undefined ? undefined : contentOf(file.text);
  const leadsHere = content?.token === token && content.server === server && content.authority === authority;
  if (leadsHere && !file.own) return;
  if (!file.own) throw new ForeignKubeconfig();
  await writeKubeconfig(path, text, file);
}

/** The file belongs to somebody else. */
class ForeignKubeconfig extends Error {
  override readonly name = 'ForeignKubeconfig';
  constructor() {
    super(
      'this server did not write the file that is there, so it does not replace it; remove it, or name another file',
    );
  }
}

/** Writes the record `key` and removes unused ones. False when another server was faster. */
async function record(
  { storage, accessKeys, now = Date.now() }: AdminKubeconfig,
  { records, damaged }: Pick<AdminRecords, 'records' | 'damaged'>,
  key: string,
  wanted: AdminAccessKey & { readonly hash: Buffer },
): Promise<boolean> {
  const before = records.find((one) => one.key === key);
  const revision = before?.revision ?? damaged.find((one) => one.key === key)?.revision;
  const sameObject = before?.accessKey === wanted.accessKey && before.uid === wanted.uid;
  const same = sameObject && before.hash.equals(wanted.hash);
  const fresh = same && now - before.renewed < RENEW_MS;
  const old = records.filter((one) => one.key !== key && now - one.renewed > UNUSED_MS);
  const unused = old.slice(0, 60);
  for (const { accessKey } of unused) await accessKeys.remove(accessKey);
  const writes: Write[] = unused.map((one) => ({ key: one.key, expect: one.revision }));
  const created = before?.hash.equals(wanted.hash) === true ? before.created : now;
  const value = adminRecordValue({ ...wanted, created }, now);
  if (!fresh) writes.push({ key, value, expect: revision ?? 'absent' });
  return writes.length === 0 || commit(storage, writes);
}

/** False when a record was not as expected. */
async function commit(storage: Storage, writes: readonly Write[]): Promise<boolean> {
  try {
    await storage.commit(writes);
    return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { code } = error.failure;
    if (code === 'exists' || code === 'conflict' || code === 'not found') return false;
    throw error;
  }
}
