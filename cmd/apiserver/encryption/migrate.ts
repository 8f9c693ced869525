/** `encryption migrate`: until all is encrypted with the first key, with progress. */
import { setTimeout as sleep } from 'node:timers/promises';
import { textOfHeader } from '../../../pkg/storage/encryption/envelope.js';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import type { EncryptedStore } from '../../../pkg/storage/encryption/openencrypted.js';
import { reencryptAll } from '../../../pkg/storage/encryption/reencryptall.js';
import { readServers } from '../../../pkg/storage/encryption/serversrecord.js';
import { isUpToDate, surveyOf } from '../../../pkg/storage/encryption/survey.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import type { StorageConfig } from '../options/complete.js';
import { currentKeys, keyFileOf, needingKeys, type EncryptionConfig } from '../server/encryption.js';
import { StartError } from '../starterror.js';
import { needingStore, openStorage } from '../server/storage.js';
import { causeOf } from '../../../pkg/apimachinery/caught.js';
import { recordsText } from '../counted.js';

const STEP_MS = 1_000;
/** A server that runs has taken a key from the same file by then. */
const TAKEN_MS = 30_000;
/** And asked its KMS again. */
const ASKED_MS = 90_000;

type Say = (text: string) => void;

/** May be ended and begun again. Throws StartError. */
export async function migrate(
  config: StorageConfig,
  encryption: EncryptionConfig,
  write: Say,
): Promise<void> {
  const say = once(write);
  const store = await openUnlessServed(config, encryption);
  let taken: Keyring;
  if (store === undefined) {
    if (config.engine !== 'embedded') throw new StartError('the store is not served');
    taken = await follow(config.directory, encryption, say);
  } else {
    try {
      taken = await needingStore(config, needingKeys(takePart(store, encryption, say)));
    } finally {
      await store.storage.close();
    }
  }
  const names = taken.writers.map(({ keyName }) => keyName).join(', ');
  say(`done: all is encrypted with key ${names}`);
  if (encryption.providerConfig === undefined && taken.readers.length > taken.writers.length)
    say(
      `the store does not need the other keys any more: keep a copy of ${keyFileOf(encryption)} for backups from before, and remove their lines`,
    );
}

/** Each line once in a row. */
function once(write: Say): Say {
  let last = '';
  return (line) => {
    if (line !== last) write(`${line}\n`);
    last = line;
  };
}

/** Undefined: a server has the embedded store open. */
async function openUnlessServed(
  config: StorageConfig,
  encryption: EncryptionConfig,
): Promise<EncryptedStore | undefined> {
  try {
    return await openStorage(config, { ...encryption, delayMs: 0 });
  } catch (error) {
    const cause = causeOf(error);
    if (cause instanceof Error && cause.name === 'DirectoryInUseError') return undefined;
    throw error;
  }
}

/** As one of the servers, if there are others. */
async function takePart(store: EncryptedStore, encryption: EncryptionConfig, say: Say): Promise<Keyring> {
  await store.begin(() => currentKeys(encryption, store.engine));
  for (;;) {
    if ((await isUpToDate(store.engine, store.keyring)) && !store.membership.waits) {
      await refuseStuck(store.engine, store.keyring);
      return store.keyring;
    }
    if (store.membership.agreed) {
      const progress = ({ seen, written }: { readonly seen: number; readonly written: number }): void =>
        say(`${recordsText(seen)} checked, ${written} re-encrypted`);
      const { undecryptable, complete } = await reencryptAll(store, { progress });
      if (undecryptable.length > 0) throw unreadableError(undecryptable);
      if (complete) return store.keyring;
    } else say(waitingFor(await readServers(store.engine)));
    await sleep(STEP_MS);
    await store.membership.renew();
  }
}

/**
 * A record that was damaged, or put there from outside, since all was encrypted: the store does not know of it. Throws StartError and
 * StorageError.
 */
async function refuseStuck(engine: Pick<Storage, 'get' | 'scan'>, keyring: Keyring): Promise<void> {
  const { stuck } = await surveyOf(engine, keyring);
  if (stuck.length > 0) throw unreadableError(stuck);
}

const unreadableError = (keys: readonly string[]): StartError =>
  new StartError(
    `${recordsText(keys.length)} cannot be read, and so not be encrypted, ${keys[0] ?? ''} among them: encryption status lists all, and why; delete them or give their keys, then run this again`,
  );

function waitingFor({ servers }: Awaited<ReturnType<typeof readServers>>): string {
  const all = Object.values(servers);
  const wanted = new Set(all.flatMap(({ wants }) => wants));
  const lacking = all.filter(({ reads }) => [...wanted].some((header) => !reads.includes(header)));
  const named = lacking.map(({ name }) => name).join(', ');
  return lacking.length > 0
    ? `waits for ${lacking.length} of ${all.length} servers to have the key: ${named}`
    : `waits for ${all.length} servers to write with the same key`;
}

/** Beside the server of an embedded store, which does the work. */
async function follow(directory: string, encryption: EncryptionConfig, say: Say): Promise<Keyring> {
  const { readEmbedded } = await import('../../../pkg/storage/embedded/readonly.js');
  const began = performance.now();
  const timeoutMs = encryption.providerConfig === undefined ? TAKEN_MS : ASKED_MS;
  for (;;) {
    const engine = await readEmbedded(directory);
    if (engine === undefined) throw new StartError(`the store in ${directory} does not exist any more`);
    try {
      // A KMS may say another key meanwhile.
      const keyring = await needingKeys(currentKeys(encryption, { get: (key) => engine.get(key) }));
      if (await isUpToDate(engine, keyring)) {
        await refuseStuck(engine, keyring);
        return keyring;
      }
      const { servers, stale, stuck, waiting } = await surveyOf(engine, keyring);
      const wants = keyring.writers.map(textOfHeader).join();
      const taken = servers.some((one) => one.wants.join() === wants);
      if (!taken && performance.now() - began > timeoutMs)
        throw new StartError('the running server does not have the key: was it started with another file?');
      if (stuck.length > 0 && waiting === 0) throw unreadableError(stuck);
      say(`${recordsText(stale)} to be encrypted by the server`);
    } finally {
      await engine.close();
    }
    await sleep(STEP_MS);
  }
}
