/** The administrator's kubeconfig that `--write-kubeconfig` asks for. Each file has a key of its own. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { StorageError, type Storage, type Write } from '../../storage/interface.js';
import { contentOf, tokenOf } from '../pki/kubeconfig.js';
import { generateKey, hashKey, isKey, sameHash } from '../../apimachinery/accesskey.js';
import type { KubeconfigFile } from './kubeconfigfile.js';
import { kubeconfigText, readKubeconfig, writeKubeconfig } from './kubeconfigfile.js';
import { ADMIN_KEYS, adminRecordValue, readAdminRecords, type AdminRecord } from './adminrecords.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** So often a running server says that its key is in use. */
export const RENEW_MS = DAY_MS;
/** A key that no server has said to use for so long is taken out of force: its server is gone. */
const UNUSED_MS = 30 * DAY_MS;

export interface AdminKubeconfig {
  readonly storage: Storage;
  readonly pepper: Buffer;
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
 * that writes the same record at the same time makes this one try again. Answers the key of the record.
 */
export async function keepAdminKubeconfig(options: AdminKubeconfig): Promise<string> {
  for (;;) {
    const [{ records }, file] = await Promise.all([
      readAdminRecords(options.storage),
      readKubeconfig(options.path, options.storeId),
    ]);
    const held = file.text === undefined ? undefined : tokenOf(file.text);
    const inForce = recordOf(records, held, options.pepper);
    const token = inForce === undefined || held === undefined ? generateKey() : held;
    await writeIfChanged(options, token, file);
    const own = inForce?.key ?? recordKey(options.path);
    const hash = hashKey(token, options.pepper);
    if (await record(options, records, own, hash)) return own;
  }
}

/** Says that the key of a record is in use. A record that is gone or was changed meanwhile stays so. */
export async function renewAdminKey(storage: Storage, key: string, now = Date.now()): Promise<void> {
  const found = (await readAdminRecords(storage)).records.find((one) => one.key === key);
  if (found === undefined) return;
  await commit(storage, [{ key, value: adminRecordValue(found.hash, now), expect: found.revision }]);
}

/** Names the file on this machine without telling its path. */
function recordKey(path: string): string {
  const name = createHash('sha256').update(`${hostname()}\0${path}`).digest('hex');
  return ADMIN_KEYS + name.slice(0, 32);
}

function recordOf(
  records: readonly AdminRecord[],
  held: string | undefined,
  pepper: Buffer,
): AdminRecord | undefined {
  if (held === undefined || !isKey(held)) return undefined;
  const hash = hashKey(held, pepper);
  return records.find((one) => sameHash(one.hash, hash));
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
  { storage, now = Date.now() }: AdminKubeconfig,
  records: readonly AdminRecord[],
  key: string,
  hash: Buffer,
): Promise<boolean> {
  const before = records.find((one) => one.key === key);
  const fresh = before?.hash.equals(hash) === true && now - before.renewed < RENEW_MS;
  const unused = records.filter((one) => one.key !== key && now - one.renewed > UNUSED_MS);
  const writes: Write[] = unused.slice(0, 60).map((one) => ({ key: one.key, expect: one.revision }));
  if (!fresh) writes.push({ key, value: adminRecordValue(hash, now), expect: before?.revision ?? 'absent' });
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
