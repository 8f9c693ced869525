/** Whether a backup is whole, and whether the given keys open it. */
import { isEncrypted, keyNameIn, keyNameOf, plainOf } from '../encryption/envelope.js';
import type { Keyring } from '../encryption/interface.js';
import { STATE_KEY } from '../encryption/openencrypted.js';
import { SERVERS_KEY, serversIn } from '../encryption/serversrecord.js';
import { FORMAT_KEY, judgeFormat } from '../format/storeformat.js';
import type { StoredRecord } from '../interface.js';
import type { BackupEnd, BackupHeader } from './format.js';
import { DamagedBackup, readBackup } from './read.js';
import type { Seal } from './seal.js';
import { checkSeal } from './seal.js';

/** What the keys of objects begin with. */
const OBJECTS = 'registry/';
/** What objects end with in the store, behind their JSON (`pkg/registry/object/record.ts`). */
const FINGERPRINT = /\n[0-9a-f]{16}$/;

export interface Verified {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
  /** Of the whole, in hexadecimal. */
  readonly checksum: string;
  /** Undefined: whoever wrote it had no key. */
  readonly seal: Seal | undefined;
  /** How many records need each key, by its name. */
  readonly byKey: ReadonlyMap<string, number>;
  /** Names of keys without which no server opens the store. */
  readonly lacking: readonly string[];
  /** Records that are not what was written, or whose key is not given: by storage key, and why. */
  readonly faults: readonly { readonly key: string; readonly why: string }[];
}

/**
 * Reads all of it. Throws DamagedBackup, NewerStore, and what `source` and `withSeeds` throw.
 *
 * @param withSeeds the keys from here on, where a record brings some: it stands before what they encrypt
 */
export async function verifyBackup(
  source: AsyncIterable<Buffer>,
  given: Keyring,
  withSeeds: (record: StoredRecord) => Promise<Keyring> | undefined = () => undefined,
): Promise<Verified> {
  let keyring = given;
  const byKey = new Map<string, number>();
  const lacking = new Set<string>();
  const faults: { readonly key: string; readonly why: string }[] = [];
  let header: BackupHeader | undefined;
  for await (const part of readBackup(source)) {
    if (part.part === 'header') header = part.header;
    else if (part.part === 'records')
      for (const record of part.records) {
        const more = withSeeds(record);
        if (more !== undefined) keyring = await more;
        look(record);
      }
    else if (header !== undefined) {
      const { end, checksum, seal } = part;
      const checked = seal === undefined ? undefined : checkSeal(seal, checksum, keyring);
      return {
        ...{ header, end, checksum: checksum.toString('hex'), seal: checked },
        ...{ byKey, lacking: [...lacking], faults },
      };
    }
  }
  throw new DamagedBackup('is cut short: its end is missing');

  function look(record: StoredRecord): void {
    const { key, value } = record;
    if (key === FORMAT_KEY) judgeFormat(record, 'the store that it is of');
    if (isEncrypted(value)) {
      const keyName = keyNameIn(value);
      byKey.set(keyName, (byKey.get(keyName) ?? 0) + 1);
    }
    for (const name of neededBy(keyring, record)) lacking.add(name);
    const why = faultOf(keyring, record);
    if (why !== undefined) faults.push({ key, why });
  }
}

/** Names of keys that no server opens the store without, as two records of it say. */
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
