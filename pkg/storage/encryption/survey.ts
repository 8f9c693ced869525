/** What is encrypted with which key, of a store as it is, seen from outside. */
import type { Storage, StoredRecord } from '../interface.js';
import { ALL_KEYS, pagesOf } from '../pages.js';
import { headerIn, isEncrypted, keyNameIn, plainOf, textOfHeader } from './envelope.js';
import type { Keyring, Undecryptable } from './interface.js';
import { STATE_KEY, stateIn } from './openencrypted.js';
import { isStale } from './reencrypt.js';
import type { ServerEntry } from './serversrecord.js';
import { readServers, SERVERS_KEY } from './serversrecord.js';

export interface Survey {
  /** Encrypted records by the header that their values begin with; without one that can be read: `''`. */
  readonly byHeader: ReadonlyMap<string, number>;
  /** Records that are not encrypted, are believed, and would be encrypted if they were written now. */
  readonly plain: number;
  /** Records that would be written otherwise now, those of {@link plain} among them. */
  readonly stale: number;
  /** Of these can be read, and so will be; the state of the store, which is written last, is not among them. */
  readonly waiting: number;
  /** `identity`: it is not encrypted, and must be. */
  readonly undecryptable: readonly Unreadable[];
  /** Storage keys of those that would be written otherwise now, and never can be: the keys before stay needed. */
  readonly stuck: readonly string[];
  /** Headers of the keys that the store counts on. */
  readonly used: readonly string[];
  /** As they said last; one that was killed is among them for a minute. */
  readonly servers: readonly ServerEntry[];
}

type Unreadable = Pick<Undecryptable, 'key' | 'keyName'>;

const PAGE_RECORDS = 500;

/** Rejects with StorageError, and with WrongKeys for the state of a newer release. */
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
  /** Keys of records that are not encrypted: whether they are believed, the state says, which may come later. */
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
      ...{ byHeader, plain, stale: this.stale, waiting: this.waiting + plain },
      undecryptable: [...this.undecryptable, ...refused.map((key) => ({ key, keyName: 'identity' }))],
      stuck: [...this.stuck, ...refused],
    };
  }
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
