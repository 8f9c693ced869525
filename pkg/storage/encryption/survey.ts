/** What is encrypted with which key, of a store as it is, seen from outside. */
import type { Storage } from '../interface.js';
import { ALL_KEYS, pagesOf } from '../pages.js';
import { headerIn, isEncrypted, keyNameIn, plainOf, textOfHeader } from './envelope.js';
import type { Keyring } from './interface.js';
import { STATE_KEY, stateIn } from './openencrypted.js';
import { isStale } from './reencrypt.js';
import type { ServerEntry } from './serversrecord.js';
import { readServers, SERVERS_KEY } from './serversrecord.js';

export interface Survey {
  /** Encrypted records by the header that their values begin with; without one that can be read: `''`. */
  readonly byHeader: ReadonlyMap<string, number>;
  /** Records that are not encrypted, and would be if they were written now. */
  readonly plain: number;
  /** Records that would be written otherwise now, those of {@link plain} among them. */
  readonly stale: number;
  readonly undecryptable: readonly { readonly key: string; readonly keyName: string }[];
  /** Headers of the keys that the store counts on. */
  readonly used: readonly string[];
  /** As they said last; one that was killed is among them for a minute. */
  readonly servers: readonly ServerEntry[];
}

const PAGE_RECORDS = 500;

/** Rejects with StorageError. */
export async function surveyOf(engine: Pick<Storage, 'get' | 'scan'>, keyring: Keyring): Promise<Survey> {
  const byHeader = new Map<string, number>();
  const undecryptable: { readonly key: string; readonly keyName: string }[] = [];
  let [plain, stale] = [0, 0];
  for await (const records of pagesOf(engine, ALL_KEYS, { limit: PAGE_RECORDS })) {
    for (const { key, value, undecryptable: damaged } of records) {
      if (damaged !== undefined) undecryptable.push({ key, keyName: damaged });
      if (key === SERVERS_KEY || damaged !== undefined) continue;
      if (isStale(keyring, { key, value })) stale += 1;
      if (!isEncrypted(value)) {
        if (keyring.writer(key) !== undefined) plain += 1;
        continue;
      }
      const header = headerIn(value) ?? '';
      byHeader.set(header, (byHeader.get(header) ?? 0) + 1);
      if (plainOf(keyring, { key, value }) === undefined)
        undecryptable.push({ key, keyName: keyNameIn(value) });
    }
  }
  const { used, servers } = await readServers(engine);
  return { byHeader, plain, stale, undecryptable, used, servers: Object.values(servers) };
}

/**
 * Whether all is encrypted as it would be now, as the state of the store says, and nothing counts on other keys. Rejects with
 * StorageError, and with WrongKeys for the state of a newer release.
 */
export async function isUpToDate(engine: Pick<Storage, 'get'>, keyring: Keyring): Promise<boolean> {
  const { record } = await engine.get(STATE_KEY);
  if (record === undefined || isStale(keyring, record)) return false;
  const value = plainOf(keyring, record);
  if (value === undefined) return false;
  const { plaintext, rules } = stateIn(value);
  const { used } = await readServers(engine);
  const wants = keyring.writers.map(textOfHeader);
  return !plaintext && rules === keyring.rules && used.every((header) => wants.includes(header));
}
