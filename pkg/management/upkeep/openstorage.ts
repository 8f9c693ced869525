import { accessSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../server/logging/log.js';
import type { ConnectionListener } from '../../storage/etcd/client.js';
import { refuseUnfinished, UnfinishedRestore } from '../../storage/unfinished.js';
import type { EncryptedStore } from '../../storage/encryption/openencrypted.js';
import { NewerStore, refuseNewer } from '../../storage/storeformat.js';
import { watchedChanges, type ChangeReader } from '../../storage/changes.js';
import { StorageError, type Storage } from '../../storage/interface.js';
import type { StorageConfig } from './storageconfig.js';
import type { UpkeepParts } from './parts.js';
import { openWithKeys, type EncryptionConfig, type EncryptionListener } from './encryption/keys.js';
import { inWords, StartError } from '../../apimachinery/starterror.js';
import { causeOf, codeOf } from '../../apimachinery/caught.js';

/**
 * Opens the store of the options with its keys. Throws StartError, and StorageError if the engine was opened
 * and fails.
 * @param listener receives events of the connection, if there is one, and keys that were created
 */
export async function openStorage(
  config: StorageConfig,
  encryption: EncryptionConfig,
  listener: ConnectionListener & EncryptionListener = {},
): Promise<EncryptedStore> {
  const engine = await openEngine(config, listener);
  try {
    await refuseUnfinished(engine);
    await refuseNewer(engine);
    return await openWithKeys(engine, encryption, listener);
  } catch (error) {
    await engine.close();
    const refused = error instanceof UnfinishedRestore || error instanceof NewerStore;
    throw refused ? new StartError(error.message, { cause: error }) : error;
  }
}

/**
 * Opens the engine without encryption. Loads only the code of the chosen engine. Throws StartError.
 * @param bumpTo for a restored store: the revision to continue from
 */
export async function openEngine(
  config: StorageConfig,
  listener: ConnectionListener,
  bumpTo?: number,
): Promise<Storage> {
  try {
    switch (config.engine) {
      case 'embedded': {
        if (config.open !== undefined) return config.open();
        const { openEmbedded } = await import('../../storage/embedded/embedded.js');
        return await openEmbedded({ directory: config.directory, bumpTo });
      }
      case 'etcd': {
        const { openEtcd } = await import('../../storage/etcd/open.js');
        const { engine: _engine, ...options } = config;
        return await openEtcd({ ...options, listener, bumpTo });
      }
    }
  } catch (error) {
    throw new StartError(`the store cannot be opened (${placeOf(config)}): ${inWords(error)}`, {
      cause: error,
    });
  }
}

/** For commands, which must not create a store. Throws StartError. */
export function requireStore(config: StorageConfig): void {
  if (config.engine !== 'embedded') return;
  try {
    accessSync(join(config.directory, 'data.mdb'));
  } catch (error) {
    throw new StartError(
      ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')
        ? `there is no store in ${config.directory}: say with --data-dir or --etcd-servers where it is`
        : `the store in ${config.directory} cannot be read: ${inWords(error)}`,
      { cause: error },
    );
  }
}

/** Without `commit` if a server may own the store. */
export interface ReadStore extends Pick<Storage, 'get' | 'scan'>, Partial<Pick<Storage, 'commit'>> {
  /** The changes after a revision. */
  changes(after: number): ChangeReader;
}

/** Opens the store for reading beside its servers. Throws StartError. */
export async function openReading(config: StorageConfig): Promise<ReadStore & Pick<Storage, 'close'>> {
  requireStore(config);
  const engine =
    config.engine === 'embedded'
      ? await openFiles(config.directory)
      : watchable(await openEngine(config, {}));
  try {
    await needingStore(config, refuseNewer(engine));
    return engine;
  } catch (error) {
    await engine.close();
    throw error instanceof NewerStore ? new StartError(error.message, { cause: error }) : error;
  }
}

const watchable = (engine: Storage): ReadStore & Pick<Storage, 'close'> => ({
  ...engine,
  changes: (after) => watchedChanges(engine, after),
});

async function openFiles(directory: string): Promise<ReadStore & Pick<Storage, 'close'>> {
  const { readEmbedded } = await import('../../storage/embedded/readonly.js');
  const engine = await readEmbedded(directory).catch((error: unknown) => {
    throw new StartError(`the store in ${directory} cannot be read: ${inWords(error)}`, {
      cause: error,
    });
  });
  if (engine === undefined) throw new StartError(`the store in ${directory} does not exist any more`);
  return engine;
}

/** Logs reloads of certificates for etcd. */
export function logCertificateReloads(log: Logger): NonNullable<ConnectionListener['certificates']> {
  return (problem) => {
    if (problem === undefined) log.info('certificates for etcd were replaced: they are used from here on');
    else log.warn({ reason: problem }, 'certificates for etcd were replaced by ones that cannot be used');
  };
}

/** Keeps how full etcd is for the metrics, and logs when it takes no writes any more. */
export function followSpace({
  state,
  log,
}: Pick<UpkeepParts, 'state' | 'log'>): NonNullable<ConnectionListener['space']> {
  return (space) => {
    const wasFull = state.etcdSpace?.full === true;
    state.etcdSpace = space;
    if (space.full && !wasFull)
      log.error(
        space,
        'etcd takes no writes, because its quota was used up: run management-apiserver store free-space',
      );
    if (!space.full && wasFull) log.info(space, 'etcd takes writes again');
  };
}

/** Why the endpoints of etcd cannot be used together, if that is the `error` of {@link openStorage}. */
export function whyDivided(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause instanceof Error && cause.name === 'EndpointsDiffer' ? cause.message : undefined;
}

/** Whether a step failed as the store does not answer, which may pass. `error`: of {@link needingStore}. */
export function isUnavailable(error: unknown): boolean {
  return storageErrorIn(error)?.failure.code === 'unavailable';
}

/** The error of the store that this one is, or comes from. */
const storageErrorIn = (error: unknown): StorageError | undefined =>
  error === undefined || error instanceof StorageError ? error : storageErrorIn(causeOf(error));

/** Returns the result of `step`. Throws StartError if the store fails. */
export async function needingStore<T>(config: StorageConfig, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const failure = storageErrorIn(error);
    if (failure === undefined) throw error;
    throw new StartError(`the store fails (${placeOf(config)}): ${inWords(failure)}`, { cause: error });
  }
}

function placeOf(config: StorageConfig): string {
  return config.engine === 'etcd' ? `etcd at ${config.endpoints.join(',')}` : config.directory;
}
