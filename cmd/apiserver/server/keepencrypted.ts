/**
 * Keeps the keys of a server those of its files, and brings what is stored to the key that writes now: what is there from before
 * encryption, and what another key encrypts. Of several servers one does so, once all write with the same keys.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { keyNameOf } from '../../../pkg/storage/encryption/envelope.js';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import type { EncryptedStore } from '../../../pkg/storage/encryption/openencrypted.js';
import { reencryptAll } from '../../../pkg/storage/encryption/reencryptall.js';
import { isSettled } from '../../../pkg/storage/encryption/survey.js';
import { raiseFormat, STORE_FORMAT } from '../../../pkg/storage/format/storeformat.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { currentKeys, filesOf } from './encryption.js';
import { followFiles } from './followfiles.js';
import { followPlugins } from '../encryption/followplugins.js';
import type { Operations } from './telemetry.js';

/** How soon a change of the files is seen. */
const LOOK_MS = 2_000;
/** How often a server says that it is there. */
const BEAT_MS = 15_000;
/** After a failure, while records cannot be decrypted, and while servers of an earlier release may still write. */
const AGAIN_MS = 60_000;
const PROGRESS_MS = 5_000;

type Parts = Pick<Operations, 'log' | 'report' | 'shutdownHooks'> & {
  readonly config: Pick<Operations['config'], 'encryption'>;
};

const DELAYED =
  'the store is from before encryption: nothing is encrypted yet, so that servers of an earlier release can be replaced; encryption migrate begins at once';

export function keepEncrypted({ log, report, shutdownHooks, config }: Parts, store: EncryptedStore): void {
  const { membership, keyring } = store;
  const stop = new AbortController();
  const { signal } = stop;
  if (membership.delays) log.info({ seconds: config.encryption.delayMs / 1000 }, DELAYED);
  const files = followFiles(filesOf(config.encryption));
  let [beatAt, passAt, unchecked, joins, raised] = [performance.now(), 0, true, false, false];
  const plugins = { encryption: config.encryption, engine: store.engine, signal, taken: replaceKeys };
  const done = Promise.all([run().catch(() => undefined), followPlugins({ log, report }, plugins)]);
  shutdownHooks.push(async () => {
    stop.abort();
    await done;
  });

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await attempt('the keys of the store cannot be followed', follow);
      if (performance.now() >= passAt && unchecked)
        await attempt('stored records cannot be re-encrypted', bring);
      await sleep(LOOK_MS, undefined, { signal, ref: false });
    }
  }

  async function attempt(problem: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      passAt = performance.now() + AGAIN_MS;
      report(problem, error);
    }
  }

  async function follow(): Promise<void> {
    if (await files.changed()) {
      joins = true;
      replaceKeys(await currentKeys(config.encryption, store.engine));
    }
    const { shared } = store.engine.capabilities;
    const waits = membership.waits && !membership.delays;
    if (!joins && !(shared && (waits || performance.now() - beatAt >= BEAT_MS))) return;
    joins = false;
    await membership.renew();
    beatAt = performance.now();
    if (raised || membership.hasOlder) return;
    if (await raiseFormat(store.engine, SERVER_VERSION))
      log.info(
        { format: STORE_FORMAT },
        'the store has the format of this release: older ones do not open it',
      );
    raised = true;
  }

  /** A key that records need stays, whatever the file says. */
  function replaceKeys(next: Keyring): void {
    const lacking = keyring.lacking(next);
    if (lacking !== undefined)
      throw new Error(
        `the key ${keyNameOf(lacking) ?? lacking} is still needed and is not in its file any more: put it back`,
      );
    const before = textOf(keyring);
    keyring.replace(next);
    if (textOf(keyring) === before) return;
    [passAt, unchecked, joins] = [0, true, true];
    log.info({ keys: next.writers.map(({ keyName }) => keyName) }, 'the keys of the store were read again');
  }

  async function bring(): Promise<void> {
    if (!membership.agreed) return;
    if (!membership.first) {
      passAt = performance.now() + BEAT_MS;
      return store.mayHoldPlaintext ? store.readState() : undefined;
    }
    passAt = performance.now() + AGAIN_MS;
    if (await isSettled(store.engine, keyring)) {
      unchecked = false;
      return;
    }
    let told = performance.now();
    const progress = ({ seen, written }: { readonly seen: number; readonly written: number }): void => {
      if (performance.now() - told < PROGRESS_MS) return;
      told = performance.now();
      log.info({ seen, written }, 'records are being encrypted with the key of now');
    };
    const { written, undecryptable, complete } = await reencryptAll(store, { signal, progress });
    if (written > 0) log.info({ written }, 'records were encrypted with the key of now');
    if (undecryptable.length > 0)
      log.warn({ records: undecryptable.length, first: undecryptable[0] }, 'records cannot be decrypted');
    if (complete) unchecked = false;
  }
}

const textOf = ({ wants, readers, rules }: EncryptedStore['keyring']): string =>
  [...wants, ...readers, rules].join('\n');
