/** Checks whether servers with the given keys can use the records of a backup. */
import { isEncrypted, keyNameIn, keyNameOf, plainOf } from '../encryption/envelope.js';
import type { Keyring } from '../encryption/interface.js';
import { STATE_KEY } from '../encryption/openencrypted.js';
import { SERVERS_KEY, serversIn } from '../encryption/serversrecord.js';
import { FORMAT_KEY, checkStoreFormat } from '../storeformat.js';
import type { StoredRecord } from '../interface.js';

/** The prefix of the storage keys of objects. */
const OBJECTS = 'registry/';
/** The end of an object's value in the store, after its JSON (`pkg/registry/object/record.ts`). */
const FINGERPRINT = /\n[0-9a-f]{16}$/;

/**
 * Returns the keyring to use from this record on, if the record contains data keys: such a record is before those that
 * they encrypt.
 */
export type WithSeeds = (record: StoredRecord) => Promise<Keyring> | undefined;

export interface Checked {
  /** The number of records that each key encrypts, by the name of the key. */
  readonly byKey: ReadonlyMap<string, number>;
  /** The names of missing keys that servers need to open the store. */
  readonly lacking: readonly string[];
  /** Records that are damaged, or whose key is missing: the storage key, and the reason. */
  readonly faults: readonly { readonly key: string; readonly why: string }[];
}

/** Counts keys, and collects errors. */
export class RecordCheck {
  private readonly byKey = new Map<string, number>();
  private readonly lacking = new Set<string>();
  private readonly faults: { readonly key: string; readonly why: string }[] = [];

  constructor(
    /** The given keys, and those from records. */
    public keyring: Keyring,
    private readonly withSeeds: WithSeeds = () => undefined,
  ) {}

  /** Rejects with NewerStore, and what `withSeeds` throws. */
  async add(records: readonly StoredRecord[]): Promise<void> {
    for (const record of records) {
      const more = this.withSeeds(record);
      if (more !== undefined) this.keyring = await more;
      this.check(record);
    }
  }

  found(): Checked {
    return { byKey: this.byKey, lacking: [...this.lacking], faults: this.faults };
  }

  private check(record: StoredRecord): void {
    const { key, value } = record;
    if (key === FORMAT_KEY) checkStoreFormat(record, 'the store that it is of');
    if (isEncrypted(value)) {
      const keyName = keyNameIn(value);
      this.byKey.set(keyName, (this.byKey.get(keyName) ?? 0) + 1);
    }
    for (const name of neededBy(this.keyring, record)) this.lacking.add(name);
    const why = faultOf(this.keyring, record);
    if (why !== undefined) this.faults.push({ key, why });
  }
}

/** The names of missing keys that servers need to open the store, according to two of its records. */
function neededBy(keyring: Keyring, { key, value }: StoredRecord): readonly string[] {
  if (key === SERVERS_KEY)
    return serversIn(value)
      .used.filter((header) => keyring.reader(header) === undefined)
      .map((header) => keyNameOf(header) ?? header);
  if (key !== STATE_KEY || plainOf(keyring, { key, value }) !== undefined) return [];
  return [keyNameIn(value)];
}

function faultOf(keyring: Keyring, { key, value }: StoredRecord): string | undefined {
  const plain = plainOf(keyring, { key, value });
  if (plain === undefined) return `cannot be decrypted with key ${keyNameIn(value)}`;
  if (!key.startsWith(OBJECTS)) return undefined;
  try {
    JSON.parse(plain.toString().replace(FINGERPRINT, ''));
    return undefined;
  } catch {
    return 'is no JSON';
  }
}
