/** `encryption migrate`: waits until the store is encrypted with the first key, and reports the progress. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../../storage/encryption/interface.js';
import type { EncryptedStore } from '../../../storage/encryption/openencrypted.js';
import { reencryptAll } from '../../../storage/encryption/reencryptall.js';
import { readServers } from '../../../storage/encryption/serversrecord.js';
import { isUpToDate } from '../../../storage/encryption/survey.js';
import type { StorageConfig } from '../storageconfig.js';
import { currentKeys, keyFileOf, needingKeys, type EncryptionConfig } from './keys.js';
import { StartError } from '../../../apimachinery/starterror.js';
import { needingStore, openStorage } from '../openstorage.js';
import { followServer, type Say } from './followserver.js';
import { refuseStuck, unreadableError } from './unreadable.js';
import { causeOf } from '../../../apimachinery/caught.js';
import { recordsText } from '../counted.js';
import { SECRET_RECORDS } from '../../secretrecords.js';

const STEP_MS = 1_000;

/** May be interrupted and restarted. Throws StartError. */
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
    taken = await followServer(config.directory, encryption, say);
  } else {
    try {
      taken = await needingStore(config, needingKeys(takePart(store, encryption, say)));
    } finally {
      await store.storage.close();
    }
  }
  const names = taken.writers.map(({ keyName }) => keyName).join(', ');
  if (names === '') return say('done: nothing is encrypted, as identity is the only provider');
  if (SECRET_RECORDS.inPlainText(taken).length > 0)
    return say(
      `done: all is written as ${encryption.providerConfig ?? ''} says; encryption status lists what is not encrypted`,
    );
  say(`done: all is encrypted with key ${names}`);
  if (encryption.providerConfig === undefined && taken.readers.length > taken.writers.length)
    say(
      `the store does not need the other keys any more: keep a copy of ${keyFileOf(encryption)} for backups from before, and remove their lines`,
    );
}

/** Writes consecutive equal lines only once. */
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
    return await openStorage(config, encryption);
  } catch (error) {
    const cause = causeOf(error);
    if (cause instanceof Error && cause.name === 'DirectoryInUseError') return undefined;
    throw error;
  }
}

/** Re-encrypts the store as a member of its servers. */
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

function waitingFor({ servers }: Awaited<ReturnType<typeof readServers>>): string {
  const all = Object.values(servers);
  const wanted = new Set(all.flatMap(({ wants }) => wants));
  const lacking = all.filter(({ reads }) => [...wanted].some((header) => !reads.includes(header)));
  const named = lacking.map(({ name }) => name).join(', ');
  return lacking.length > 0
    ? `waits for ${lacking.length} of ${all.length} servers to have the key: ${named}`
    : `waits for ${all.length} servers to write with the same key`;
}
