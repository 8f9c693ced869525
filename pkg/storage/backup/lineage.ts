/**
 * Tells apart stores that have the same revisions and are not the same: a copy that went on by itself, or another cluster's.
 * Servers write one of these records whenever one comes or goes.
 */
import { createHash } from 'node:crypto';
import type { Storage, StoredRecord } from '../interface.js';
import { OF_SERVERS } from './restore.js';

/** Of the records of a store at one revision, among them all of {@link OF_SERVERS}. In hexadecimal. */
export class Lineage {
  private readonly found = new Map<string, Buffer>();

  add({ key, value, revision }: StoredRecord): void {
    if (!OF_SERVERS.includes(key)) return;
    this.found.set(key, createHash('sha256').update(`${key} ${revision} `).update(value).digest());
  }

  get text(): string {
    const hash = createHash('sha256');
    for (const key of OF_SERVERS) hash.update(this.found.get(key) ?? '-');
    return hash.digest('hex');
  }
}

/** Rejects with StorageError. */
export async function lineageAt(engine: Pick<Storage, 'get'>, revision: number): Promise<string> {
  const lineage = new Lineage();
  for (const key of OF_SERVERS) {
    const { record } = await engine.get(key, { revision });
    if (record !== undefined) lineage.add(record);
  }
  return lineage.text;
}
