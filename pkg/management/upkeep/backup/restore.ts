/** `restore`, and the part of `store copy` that fills a store. */
import { StorageError, type StoredRecord } from '../../../storage/interface.js';
import { recordsOfChain, type VerifiedChain } from '../../../storage/backup/chain.js';
import { beginRestore, fillStore, NotEmpty, TakenOver } from '../../../storage/backup/restore.js';
import type { StorageConfig } from '../storageconfig.js';
import type { EncryptionConfig } from '../encryption/keys.js';
import { needingStore, openEngine } from '../openstorage.js';
import { causeOf } from '../../../apimachinery/caught.js';
import { DamagedStore } from '../../../storage/damagedstore.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { chainIn, openChain, type OpenedChain } from './chain.js';
import { keysOfBackup } from './source.js';
import { faultsText, namingFile } from './verify.js';
import type { ReadBackup } from './age.js';
import { recordsText } from '../counted.js';

export interface RestoreOptions {
  readonly config: StorageConfig;
  readonly encryption: EncryptionConfig;
  /** The point in time to restore, in ms since 1970; undefined: the end of the log. */
  readonly until: number | undefined;
  /** The number by which the revision of the backup is raised. */
  readonly bump: number;
  /** Whether to accept a backup without a seal although keys are configured. */
  readonly allowUnsealed: boolean;
  readonly read: ReadBackup;
  readonly tell: (text: string) => void;
}

/** Verifies all files before it changes the store. Throws StartError. */
export async function restoreBackup(operands: readonly string[], options: RestoreOptions): Promise<void> {
  const { config, encryption, bump, tell, read, until } = options;
  if (operands.includes('-'))
    throw new StartError('restore reads a file twice: write the backup to one first');
  const keys = keysOfBackup(encryption);
  const chain = await openChain(await chainIn(operands, read, until), keys, encryption, read, until);
  const { base, segments, verified } = chain;
  if (keys.encrypts && !options.allowUnsealed) refuseUnsealed(chain);
  if (until !== undefined) refuseOtherTime(verified, until);
  const { faults } = verified.checked;
  if (faults.length > 0)
    tell(`${recordsText(faults.length)} cannot be used; restored all the same:\n${faultsText({ faults })}`);
  // Clients have also seen the revisions after the point.
  const target = verified.end.revision + bump;
  const records = await fill(config, target, recordsOfChain(base, segments, verified, namingFile));
  tell(
    `restored ${recordsText(records)} of ${timeOf(verified)}\nrevisions go on after ${target}: clients list and watch again\n`,
  );
}

/** Throws StartError. */
function refuseUnsealed({ base, segments, verified }: OpenedChain): void {
  const seals = [verified.base, ...verified.segments].map(({ seal }) => seal);
  const unsealed = [base, ...segments].find((_, nth) => seals[nth] === undefined);
  if (unsealed !== undefined)
    throw new StartError(
      `backup ${unsealed.path} is not sealed: whoever made it had no key of the store, and may have put anything into it; with --allow-unsealed it is restored all the same`,
    );
}

/** Throws StartError. */
function refuseOtherTime({ base, end }: VerifiedChain, until: number): void {
  const refused = (why: string): StartError =>
    new StartError(`--point-in-time is ${why}; nothing was changed`);
  if (until < Date.parse(base.header.time)) throw refused(`before the backup, of ${base.header.time}`);
  if (until > end.time) throw refused(`after the end of the log, at ${new Date(end.time).toISOString()}`);
}

const timeOf = ({ base, segments, point }: VerifiedChain): string =>
  segments.length === 0
    ? base.header.time
    : `${new Date(point.time).toISOString()}, at revision ${point.revision}`;

/**
 * Writes records into an empty store, whose revisions continue after `target`. Returns the number of records. Throws
 * StartError. If it fails after the start, servers refuse the store until the restore is run again.
 */
export async function fill(
  config: StorageConfig,
  target: number,
  pages: AsyncIterable<readonly StoredRecord[]>,
  what: 'restore' | 'copy' = 'restore',
): Promise<number> {
  if (!Number.isSafeInteger(target)) throw new StartError('--bump-revision: the revision becomes too large');
  const begun = await withEngine(config, undefined, (engine) => beginRestore(engine));
  return withEngine(config, target, async (engine) => {
    try {
      return await fillStore(engine, begun, pages);
    } catch (error) {
      if (error instanceof TakenOver) throw new StartError(error.message, { cause: error });
      throw new StartError(
        `the ${what} was not finished, and servers refuse the store until it is: ${reasonOf(config, error)}. Run it again`,
        // The cause is replaced: otherwise the error of the store itself would be reported instead of this one.
        { cause: { error } },
      );
    }
  });
}

/** The errors of the etcd client contain codes that do not help an operator. */
function reasonOf(config: StorageConfig, error: unknown): string {
  if (!(error instanceof StorageError)) return inWords(error);
  if (config.engine === 'etcd' && error.failure.code === 'unavailable')
    return `etcd at ${config.endpoints.join(',')} fails (${error.failure.reason}), and its log says why`;
  return inWords(error.cause ?? error);
}

/** Rejects with the error; for a damaged store, with what makes way for the new one. */
function adviseOnDamage(error: unknown): never {
  const cause = causeOf(error);
  if (!(cause instanceof DamagedStore)) throw error;
  const { fault, directory } = cause;
  throw new StartError(`${fault}: move ${directory} away, then run this again`, { cause: error });
}

async function withEngine<T>(
  config: StorageConfig,
  bumpTo: number | undefined,
  step: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>,
): Promise<T> {
  const engine = await openEngine(config, {}, bumpTo).catch(adviseOnDamage);
  try {
    return await needingStore(config, step(engine));
  } catch (error) {
    throw error instanceof NotEmpty ? new StartError(error.message, { cause: error }) : error;
  } finally {
    await engine.close();
  }
}
