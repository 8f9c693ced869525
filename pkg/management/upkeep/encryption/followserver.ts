/**
 * Waits until the server of an embedded store, which has exclusive access, has encrypted the store with the first key,
 * and reports what delays it.
 */
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOfHeader } from '../../../storage/encryption/envelope.js';
import type { Keyring } from '../../../storage/encryption/interface.js';
import { isUpToDate, surveyOf } from '../../../storage/encryption/survey.js';
import type { ReadOnlyStorage } from '../../../storage/embedded/readonlystorage.js';
import { recordsText } from '../counted.js';
import { currentKeys, needingKeys, type EncryptionConfig } from './keys.js';
import { StartError } from '../../../apimachinery/starterror.js';
import { refuseStuck, unreadableError } from './unreadable.js';

const STEP_MS = 1_000;
/** A running server has read a new key from the same file after this time. */
const TAKEN_MS = 30_000;
/** A running server has called its KMS again after this time. */
const ASKED_MS = 90_000;
/** If no record was encrypted for this time, the encryption is stalled. */
const STALLED_MS = 10_000;
/** If less than this is free, the store has filled the disk. */
const FULL_BYTES = 1024 * 1024;

export type Say = (text: string) => void;

/** Returns the keys with which the store is then encrypted. Throws StartError. */
export async function followServer(
  directory: string,
  encryption: EncryptionConfig,
  say: Say,
): Promise<Keyring> {
  const { readEmbedded } = await import('../../../storage/embedded/readonly.js');
  const wait = new ServerWait(directory, encryption.providerConfig === undefined ? TAKEN_MS : ASKED_MS, say);
  for (;;) {
    const engine = await readEmbedded(directory);
    if (engine === undefined) throw new StartError(`the store in ${directory} does not exist any more`);
    try {
      // The KMS may have changed its key since.
      const keyring = await needingKeys(currentKeys(encryption, { get: (key) => engine.get(key) }));
      if (await isUpToDate(engine, keyring)) {
        await refuseStuck(engine, keyring);
        return keyring;
      }
      await wait.check(engine, keyring);
    } finally {
      await engine.close();
    }
    await sleep(STEP_MS);
  }
}

class ServerWait {
  /** The time since which the server can have the key. */
  private since = performance.now();
  private least = Infinity;
  private progressAt = this.since;

  constructor(
    private readonly directory: string,
    /** How long the server may take to get the first key, in ms. */
    private readonly timeoutMs: number,
    private readonly say: Say,
  ) {}

  /** Throws StartError if waiting is useless. */
  async check(engine: ReadOnlyStorage, keyring: Keyring): Promise<void> {
    const { servers, stale, stuck, waiting } = await surveyOf(engine, keyring);
    const now = performance.now();
    if (stale < this.least) this.progressAt = now;
    this.least = Math.min(this.least, stale);
    const isStalled = now - this.progressAt > STALLED_MS;
    const isFull = isStalled && (await hasNoRoom(this.directory));
    const wants = keyring.writers.map(textOfHeader).join();
    const taken = servers.some((one) => one.wants.join() === wants);
    // A server with a full disk cannot record the key, which it does before it uses the key.
    if (isFull) this.since = now;
    if (!taken && now - this.since > this.timeoutMs)
      throw new StartError('the running server does not have the key: was it started with another file?');
    if (stuck.length > 0 && waiting === 0) throw unreadableError(stuck);
    const seconds = STALLED_MS / 1_000;
    const why = isFull
      ? `, but the disk of ${this.directory} is full: make room, and it goes on within a minute`
      : isStalled && taken
        ? `, none of them in the last ${seconds} seconds: its log says why, and it tries again every minute`
        : '';
    this.say(`${recordsText(stale)} to be encrypted by the server${why}`);
  }
}

async function hasNoRoom(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize < FULL_BYTES;
}
