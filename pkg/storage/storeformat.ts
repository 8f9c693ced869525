/**
 * The format of a store: a record with the format of its content, and the oldest format that a program must
 * know to open it.
 */
import { membersOf } from '../apimachinery/encoding/members.js';
import type { Storage, StoredRecord } from './interface.js';
import { isFailedPrecondition } from './precondition.js';
import { NO_RESTORE } from './unfinished.js';

/** Not encrypted, so that programs without the keys can read it. */
export const FORMAT_KEY = 'store/format';

/**
 * The format of this program. Raise it for anything that an earlier program would not understand, or would
 * damage.
 */
export const STORE_FORMAT = 1;
/** The oldest format whose programs may open stores of this one. */
export const OLDEST_FORMAT = 1;

export interface StoreFormat {
  readonly format: number;
  /** The oldest format that a program must know. */
  readonly oldest: number;
  /** The release that wrote it, which may open the store. */
  readonly program: string;
}

/** Thrown for a store of a newer release. One line, for the operator; nothing was changed. */
export class NewerStore extends Error {
  override readonly name = 'NewerStore';
}

/** Throws NewerStore if this program may not open it. `what`: `the store`. */
export function checkStoreFormat(
  { value }: Pick<StoredRecord, 'value'>,
  what: string,
  known: number = STORE_FORMAT,
): StoreFormat {
  const found = parse(value);
  if (found === undefined)
    throw new NewerStore(
      `${what} has a record ${FORMAT_KEY} that this release does not understand: start the release that wrote it; nothing was changed`,
    );
  if (found.oldest <= known) return found;
  throw new NewerStore(
    `${what} has format ${found.format} of release ${found.program}, and this release knows formats up to ${known}: start release ${found.program} or a later one, or restore a backup from before it; nothing was changed`,
  );
}

/** Reads the format; undefined: the store is new. Throws NewerStore and StorageError. */
export async function refuseNewer(engine: Pick<Storage, 'get'>): Promise<StoreFormat | undefined> {
  const { record } = await engine.get(FORMAT_KEY);
  return record && checkStoreFormat(record, 'the store');
}

/** What a store says that `program` made, or raised. */
export const formatValue = (
  program: string,
  mine: Pick<StoreFormat, 'format' | 'oldest'> = { format: STORE_FORMAT, oldest: OLDEST_FORMAT },
): Buffer => Buffer.from(JSON.stringify({ ...mine, program } satisfies StoreFormat));

const ATTEMPTS = 10;

/**
 * Writes this program's format to the store, unless it has a newer one that admits this program. Returns
 * whether it had an older one, or none. Rejects with NewerStore and StorageError.
 */
export async function raiseFormat(
  engine: Pick<Storage, 'get' | 'commit'>,
  program: string,
  mine: Pick<StoreFormat, 'format' | 'oldest'> = { format: STORE_FORMAT, oldest: OLDEST_FORMAT },
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const { record } = await engine.get(FORMAT_KEY);
    const found = record && checkStoreFormat(record, 'the store', mine.format);
    if (found !== undefined && found.format >= mine.format) return false;
    const value = formatValue(program, mine);
    try {
      await engine.commit([{ key: FORMAT_KEY, value, expect: record?.revision ?? 'absent' }], NO_RESTORE);
      return true;
    } catch (error) {
      if (!isFailedPrecondition(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

const isFormat = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

function parse(value: Buffer): StoreFormat | undefined {
  try {
    const { format, oldest, program } = membersOf(JSON.parse(value.toString()));
    if (!isFormat(format) || !isFormat(oldest)) return undefined;
    if (typeof program !== 'string' || !/^[\w.+-]{1,64}$/.test(program)) return undefined;
    return { format, oldest, program };
  } catch {
    return undefined;
  }
}
