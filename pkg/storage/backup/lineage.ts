/**
 * Distinguishes stores that have the same revisions and different content, such as a copy that was written to
 * separately, or the store of another cluster. Servers write one of these records whenever a server starts or stops.
 */
import { createHash } from 'node:crypto';
import type { Storage, StoredRecord } from '../interface.js';
import { SERVER_RECORDS } from './restore.js';

/** A digest of the records in {@link SERVER_RECORDS} at one revision, in hexadecimal. */
export class Lineage {
  private readonly found = new Map<string, Buffer>();

  add({ key, value, revision }: StoredRecord): void {
    if (!SERVER_RECORDS.includes(key)) return;
    this.found.set(key, createHash('sha256').update(`${key} ${revision} `).update(value).digest());
  }

  get text(): string {
    const hash = createHash('sha256');
    for (const key of SERVER_RECORDS) hash.update(this.found.get(key) ?? '-');
    return hash.digest('hex');
  }
}

/** Rejects with StorageError. */
export async function lineageAt(engine: Pick<Storage, 'get'>, revision: number): Promise<string> {
  const lineage = new Lineage();
  for (const key of SERVER_RECORDS) {
    const { record } = await engine.get(key, { revision });
    if (record !== undefined) lineage.add(record);
  }
  return lineage.text;
}
