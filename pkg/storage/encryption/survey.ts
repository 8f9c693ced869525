/** What is encrypted with which key, of a store as it is, seen from outside. */
import type { Storage } from '../interface.js';
import { headerIn, isEncrypted, keyNameIn } from './envelope.js';
import type { Keyring } from './interface.js';
import { STATE_KEY } from './openencrypted.js';
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

const END = '\u{10ffff}';
const PAGE_RECORDS = 500;

/** Rejects with StorageError. */
export async function surveyOf(engine: Pick<Storage, 'get' | 'scan'>, keyring: Keyring): Promise<Survey> {
  const byHeader = new Map<string, number>();
  const undecryptable: { readonly key: string; readonly keyName: string }[] = [];
  let [plain, stale] = [0, 0];
  for await (const { key, value } of recordsOf(engine)) {
    if (key === SERVERS_KEY) continue;
    if (isStale(keyring, { key, value })) stale += 1;
    if (!isEncrypted(value)) {
      if (keyring.writer(key) !== undefined) plain += 1;
      continue;
    }
    const header = headerIn(value) ?? '';
    byHeader.set(header, (byHeader.get(header) ?? 0) + 1);
    if (!isReadable(keyring, key, value, header)) undecryptable.push({ key, keyName: keyNameIn(value) });
  }
  const { used, servers } = await readServers(engine);
  return { byHeader, plain, stale, undecryptable, used, servers: Object.values(servers) };
}

/** Whether all is encrypted as it would be now, and nothing counts on other keys. Rejects with StorageError. */
export async function isSettled(engine: Pick<Storage, 'get'>, keyring: Keyring): Promise<boolean> {
  const { record } = await engine.get(STATE_KEY);
  const { used } = await readServers(engine);
  const wants = keyring.writers.map(({ header }) => header.toString('latin1'));
  return record !== undefined && !isStale(keyring, record) && used.every((header) => wants.includes(header));
}

async function* recordsOf(engine: Pick<Storage, 'scan'>) {
  let start: string | undefined = '\u0001';
  while (start !== undefined) {
    const { records, more } = await engine.scan({ start, end: END }, { limit: PAGE_RECORDS });
    yield* records;
    const last = records.at(-1);
    start = more && last !== undefined ? `${last.key}\u0001` : undefined;
  }
}

function isReadable(keyring: Keyring, key: string, value: Buffer, header: string): boolean {
  try {
    return keyring.reader(header)?.decrypt(value, key) !== undefined;
  } catch {
    return false;
  }
}
