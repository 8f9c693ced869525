/** Counts the records of a store by the key that encrypts them, without joining the servers of the store. */
import type { Storage, StoredRecord } from '../interface.js';
import { ALL_KEYS, pagesOf } from '../pages.js';
import { headerIn, isEncrypted, keyNameIn, plainOf, textOfHeader } from './envelope.js';
import type { Keyring, Undecryptable } from './interface.js';
import { STATE_KEY, stateIn } from './openencrypted.js';
import { isStale } from './reencrypt.js';
import { readServers, SERVERS_KEY, type ServerEntry } from './serversrecord.js';

export interface Survey {
  /** The numbers of encrypted records by their prefix; `''`: the prefix is damaged. */
  readonly byHeader: ReadonlyMap<string, number>;
  /** The number of unencrypted records that are accepted, and would be encrypted if they were written now. */
  readonly plain: number;
  /** The number of records that would be encrypted differently now, including {@link plain}. */
  readonly stale: number;
  /**
   * The number of stale records that can be decrypted, and so will be encrypted again. The state of the store, which is
   * written last, is not counted.
   */
  readonly waiting: number;
  /** Records that cannot be decrypted. `identity`: the record is not encrypted, and must be. */
  readonly undecryptable: readonly Unreadable[];
  /** The storage keys of stale records that can never be encrypted again: their former keys remain necessary. */
  readonly stuck: readonly string[];
  /** The prefixes of the keys that records of the store may need. */
  readonly used: readonly string[];
  /** The last state of each server; one that was killed is included for a minute. */
  readonly servers: readonly ServerEntry[];
}

type Unreadable = Pick<Undecryptable, 'key' | 'keyName'>;

const PAGE_RECORDS = 500;

/** Rejects with StorageError, and with WrongKeys if a newer release wrote the state. */
export async function surveyOf(engine: Pick<Storage, 'get' | 'scan'>, keyring: Keyring): Promise<Survey> {
  const tally = new Tally(keyring);
  for await (const records of pagesOf(engine, ALL_KEYS, { limit: PAGE_RECORDS }))
    for (const record of records) tally.add(record);
  const { used, servers } = await readServers(engine);
  return { ...tally.end(), used, servers: Object.values(servers) };
}

class Tally {
  private readonly byHeader = new Map<string, number>();
  private readonly undecryptable: Unreadable[] = [];
  private readonly stuck: string[] = [];
  /** The storage keys of unencrypted records. The state, which may be read later, decides whether they are accepted. */
  private readonly unencrypted: string[] = [];
  private believesPlaintext = true;
  private stale = 0;
  private waiting = 0;

  constructor(private readonly keyring: Keyring) {}

  add(record: StoredRecord): void {
    const { key, value, undecryptable: damaged } = record;
    const stale = isStale(this.keyring, record);
    if (damaged !== undefined) return this.refuse(key, damaged, stale);
    if (key === SERVERS_KEY) return;
    if (stale) this.stale += 1;
    if (!isEncrypted(value)) {
      if (this.keyring.writer(key) !== undefined) this.unencrypted.push(key);
      return;
    }
    const header = headerIn(value) ?? '';
    this.byHeader.set(header, (this.byHeader.get(header) ?? 0) + 1);
    const plain = plainOf(this.keyring, record);
    if (plain === undefined) return this.refuse(key, keyNameIn(value), stale);
    if (key === STATE_KEY) this.believesPlaintext = stateIn(plain).plaintext;
    else if (stale) this.waiting += 1;
  }

  private refuse(key: string, keyName: string, stale: boolean): void {
    this.undecryptable.push({ key, keyName });
    if (stale) this.stuck.push(key);
  }

  end(): Omit<Survey, 'used' | 'servers'> {
    const { byHeader, keyring, believesPlaintext } = this;
    const refused = believesPlaintext ? [] : this.unencrypted.filter((key) => !keyring.plaintext(key));
    const plain = this.unencrypted.length - refused.length;
    return {
      byHeader,
      plain,
      stale: this.stale,
      waiting: this.waiting + plain,
      undecryptable: [...this.undecryptable, ...refused.map((key) => ({ key, keyName: 'identity' }))],
      stuck: [...this.stuck, ...refused],
    };
  }
}

/**
 * Whether, according to the state of the store, all records are encrypted with the current keys, and none needs another
 * key. Rejects with StorageError, and with WrongKeys if a newer release wrote the state.
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
