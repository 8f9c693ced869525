/** The administrator's kubeconfig that `--write-kubeconfig` asks for. Each file has a key of its own. */
import type { KeyObject } from 'node:crypto';
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { StorageError, type Storage, type Write } from '../storage/interface.js';
import { contentOf, tokenOf } from '../pki/kubeconfig.js';
import { generateKey, hashKey, isKey, sameHash } from '../apimachinery/accesskey.js';
import type { KubeconfigFile } from './kubeconfigfile.js';
import { kubeconfigText, readKubeconfig, writeKubeconfig } from './kubeconfigfile.js';
import {
  ADMIN_KEYS,
  adminRecordValue,
  readAdminRecords,
  type AdminRecord,
  type AdminRecords,
} from './adminrecords.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** So often a running server says that its key is in use. */
export const RENEW_MS = DAY_MS;
/** A key that no server has said to use for so long is taken out of force: its server is gone. */
const UNUSED_MS = 30 * DAY_MS;

/** An OwnedAccessKey; without a uid it is to be made. */
export interface AdminAccessKey {
  readonly accessKey: string;
  readonly uid?: string;
}

/** The OwnedAccessKeys that administrators' keys are in force with. */
export interface AdminAccessKeys {
  /** The one with this key. */
  find(token: string): AdminAccessKey | undefined;
  /** Whether a key is in force as an administrator's. */
  isInForce(token: string): boolean;
  newName(): string;
  /** Answers the uid. */
  create(name: string, token: string): Promise<string>;
  /** One that is gone is no error. */
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
  /** Of the store; absent: files say nothing of it. */
  readonly storeId?: string;
  /** Whether a file that the server did not write is replaced. */
  readonly overwrite?: boolean;
  /** In ms since 1970; absent: now. */
  readonly now?: number;
}

/**
 * Makes sure that `path` holds a kubeconfig with a valid administrator's key. A key in the file that is in force
 * stays; else a new one replaces the one that this file of this machine had, and no other: servers that share a store
 * each have their own. The file is written before the store, so that a key in force was never lost; another server
 * that writes the same record at the same time makes this one try again. Each has an OwnedAccessKey, which one of an
 * earlier release gets now; without it, as after it was revoked, a key is never in force again. Answers the key of the record.
 */
export async function keepAdminKubeconfig(options: AdminKubeconfig): Promise<string> {
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
    const accessKey = await accessKeyOf(
      options,
      records.find(({ key }) => key === own),
      inForce,
      token,
    );
    const hash = hashKey(token, options.pepper);
    if (!(await record(options, all, own, { hash, ...accessKey }))) continue;
    if (accessKey.uid === undefined) await makeAccessKey(options, own, accessKey.accessKey, token);
    return own;
  }
}

/** The OwnedAccessKey of a key: that of one in force is there then, and that of the one before is gone. */
async function accessKeyOf(
  { accessKeys }: AdminKubeconfig,
  before: AdminRecord | undefined,
  inForce: AdminRecord | undefined,
  token: string,
): Promise<AdminAccessKey> {
  if (inForce?.accessKey !== undefined && inForce.uid !== undefined)
    return { accessKey: inForce.accessKey, uid: inForce.uid };
  if (inForce === undefined) {
    if (before?.accessKey !== undefined) await accessKeys.remove(before.accessKey);
    return { accessKey: accessKeys.newName() };
  }
  const found = accessKeys.find(token);
  if (found !== undefined) return found;
  const accessKey = accessKeys.newName();
  return { accessKey, uid: await accessKeys.create(accessKey, token) };
}

/** Makes the object that a record names already, and says in the record which it is. */
async function makeAccessKey(
  { storage, accessKeys, now = Date.now() }: AdminKubeconfig,
  key: string,
  accessKey: string,
  token: string,
): Promise<void> {
  const uid = await accessKeys.create(accessKey, token);
  for (;;) {
    const found = (await readAdminRecords(storage)).records.find((one) => one.key === key);
    // Another server made another key of it meanwhile.
    if (found?.accessKey !== accessKey) return accessKeys.remove(accessKey);
    const value = adminRecordValue({ ...found, uid }, now);
    if (await commit(storage, [{ key, value, expect: found.revision }])) return;
  }
}

/** Says that the key of a record is in use. A record that is gone or was changed meanwhile stays so. */
export async function renewAdminKey(storage: Storage, key: string, now = Date.now()): Promise<void> {
  const found = (await readAdminRecords(storage)).records.find((one) => one.key === key);
  if (found === undefined) return;
  await commit(storage, [{ key, value: adminRecordValue(found, now), expect: found.revision }]);
}

/** Names the file on this machine without telling its path. */
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
  return found?.accessKey === undefined || accessKeys.isInForce(held) ? found : undefined;
}

/** A file that leads here with this key stays as it is, whatever else its owner has put into it. */
async function writeIfChanged(
  { server, authority, path, storeId, overwrite = false }: AdminKubeconfig,
  token: string,
  file: KubeconfigFile,
): Promise<void> {
  const text = kubeconfigText({ server, authority, token }, storeId);
  if (text === file.text && !file.shared) return;
  const content = file.text === undefined ? undefined : contentOf(file.text);
  const leadsHere = content?.token === token && content.server === server && content.authority === authority;
  if (leadsHere && !file.own) return;
  if (!file.own && !overwrite) throw new ForeignKubeconfig();
  await writeKubeconfig(path, text, file);
}

/** The file is somebody else's. */
export class ForeignKubeconfig extends Error {
  override readonly name = 'ForeignKubeconfig';
  constructor() {
    super(
      'this server did not write the file that is there, so it does not replace it; name another file, or pass --overwrite-kubeconfig',
    );
  }
}

/** Writes the record `key` and removes those that are out of use. False when another server came first. */
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
  for (const { accessKey } of unused) if (accessKey !== undefined) await accessKeys.remove(accessKey);
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
