/**
 * Reloads a server's keys from its files, and re-encrypts stored records with the current key: unencrypted
 * ones and those of other keys. One of several servers does this, once all write with the same keys.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { keyNameOf } from '../../../storage/encryption/envelope.js';
import type { Keyring } from '../../../storage/encryption/interface.js';
import type { EncryptedStore } from '../../../storage/encryption/openencrypted.js';
import { reencryptAll } from '../../../storage/encryption/reencryptall.js';
import { isUpToDate } from '../../../storage/encryption/survey.js';
import { raiseFormat, STORE_FORMAT } from '../../../storage/storeformat.js';
import { SERVER_VERSION } from '../../../server/version.js';
import { currentKeys, filesOf } from './keys.js';
import { followPlugins } from './followplugins.js';
import type { UpkeepParts } from '../parts.js';
import { stat } from 'node:fs/promises';
import { SECRET_RECORDS } from '../../secretrecords.js';

/** How often files are checked for changes. */
const CHECK_INTERVAL_MS = 2_000;
/** How often a server renews its record. */
const BEAT_MS = 15_000;
/** The delay after a failure, and while records cannot be decrypted. */
const AGAIN_MS = 60_000;
const PROGRESS_MS = 5_000;

type Parts = Pick<UpkeepParts, 'log' | 'report' | 'shutdownHooks'> & {
  readonly config: Pick<UpkeepParts['config'], 'encryption'>;
};

export function keepEncrypted(parts: Parts, store: EncryptedStore): void {
  const { log, report, shutdownHooks, config } = parts;
  const stop = new AbortController();
  const { signal } = stop;
  const upkeep = new EncryptionUpkeep(parts, store, signal);
  const taken = (next: Keyring): Promise<void> => upkeep.replaceKeys(next);
  const plugins = { encryption: config.encryption, engine: store.engine, signal, taken };
  const done = Promise.all([upkeep.run().catch(() => undefined), followPlugins({ log, report }, plugins)]);
  shutdownHooks.push(async () => {
    stop.abort();
    await done;
  });
}

class EncryptionUpkeep {
  private readonly filesChanged: () => Promise<boolean>;
  private beatAt = performance.now();
  private passAt = 0;
  private unchecked = true;
  private joins = false;
  private raised = false;
  private warnedOf = '';

  constructor(
    private readonly parts: Parts,
    private readonly store: EncryptedStore,
    private readonly signal: AbortSignal,
  ) {
    this.filesChanged = followFiles(filesOf(parts.config.encryption));
  }

  async run(): Promise<void> {
    while (!this.signal.aborted) {
      await this.attempt('the keys of the store cannot be followed', () => this.follow());
      if (performance.now() >= this.passAt && this.unchecked)
        await this.attempt('stored records cannot be re-encrypted', () => this.reencrypt());
      await sleep(CHECK_INTERVAL_MS, undefined, { signal: this.signal, ref: false });
    }
  }

  /** A key that records need is kept, whatever the file contains. */
  async replaceKeys(next: Keyring): Promise<void> {
    const { keyring } = this.store;
    const lacking = keyring.lacking(next);
    if (lacking !== undefined)
      throw new Error(
        `the key ${keyNameOf(lacking) ?? lacking} is still needed and is not in its file any more: put it back`,
      );
    this.warnOfPlainText(next);
    await this.store.prepareFor(next);
    const before = textOf(keyring);
    keyring.replace(next);
    if (textOf(keyring) === before) return;
    this.passAt = 0;
    this.unchecked = this.joins = true;
    const keys = next.writers.map(({ keyName }) => keyName);
    this.parts.log.info({ keys }, 'the keys of the store were read again');
  }

  /** Once for each set of keys. */
  private warnOfPlainText(next: Keyring): void {
    const records = SECRET_RECORDS.inPlainText(next);
    const text = records.join();
    if (text !== '' && text !== this.warnedOf)
      this.parts.log.warn(
        { records },
        'secrets are stored unencrypted: identity is their first provider in the encryption configuration',
      );
    this.warnedOf = text;
  }

  private async attempt(problem: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.parts.report(problem, error);
    }
  }

  private async follow(): Promise<void> {
    const { engine, membership } = this.store;
    if (await this.filesChanged()) {
      this.joins = true;
      await this.replaceKeys(await currentKeys(this.parts.config.encryption, engine));
    }
    const isDue = membership.waits || performance.now() - this.beatAt >= BEAT_MS;
    if (!this.joins && !(engine.capabilities.shared && isDue)) return;
    this.joins = false;
    try {
      await membership.renew();
      this.beatAt = performance.now();
      await this.raise();
    } catch (error) {
      // A full disk, for one: it is tried again.
      this.joins = true;
      throw error;
    }
  }

  private async raise(): Promise<void> {
    const { engine, membership } = this.store;
    if (this.raised || membership.hasOlder) return;
    if (await raiseFormat(engine, SERVER_VERSION))
      this.parts.log.info(
        { format: STORE_FORMAT },
        'the store has the format of this release: older ones do not open it',
      );
    this.raised = true;
  }

  private get done(): string {
    return this.store.keyring.writers.length > 0
      ? 'encrypted with the key of'
      : 'decrypted, as none encrypts';
  }

  private async reencrypt(): Promise<void> {
    const { store, signal } = this;
    const { log } = this.parts;
    if (!store.membership.agreed) return;
    if (!store.membership.first) {
      this.passAt = performance.now() + BEAT_MS;
      return store.mayHoldPlaintext ? store.readState() : undefined;
    }
    this.passAt = performance.now() + AGAIN_MS;
    if (await isUpToDate(store.engine, store.keyring)) {
      this.unchecked = false;
      return;
    }
    let loggedAt = performance.now();
    const progress = ({ seen, written }: { readonly seen: number; readonly written: number }): void => {
      if (performance.now() - loggedAt < PROGRESS_MS) return;
      loggedAt = performance.now();
      log.info({ seen, written }, `records are being ${this.done} now`);
    };
    const { written, undecryptable, complete } = await reencryptAll(store, { signal, progress });
    if (written > 0) log.info({ written }, `records were ${this.done} now`);
    if (undecryptable.length > 0)
      log.warn({ records: undecryptable.length, first: undecryptable[0] }, 'records cannot be decrypted');
    if (complete) this.unchecked = false;
  }
}

const textOf = ({ wants, readers, rules }: EncryptedStore['keyring']): string =>
  [...wants, ...readers, rules].join('\n');

/**
 * Tells whether one of the files was replaced or written since the last call; true at first. Never rejects. Files may appear
 * and disappear. Replaced files and changed links (of mounted Secrets) count as changed.
 */
function followFiles(paths: readonly string[]): () => Promise<boolean> {
  let known: string | undefined;
  return async () => {
    const now = (await Promise.all(paths.map(markOf))).join('\n');
    const differs = now !== known;
    known = now;
    return differs;
  };
}

async function markOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return '';
  }
}
