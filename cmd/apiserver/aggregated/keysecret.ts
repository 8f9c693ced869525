/**
 * While a server of the chart has the store open, it looks at the Secret that its key file came from: keys of the store
 * that are missing there are put back, and the cluster is told which these are, so that Pods that start make no others.
 */
import type { ObjectKey } from '../../../api/resource.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import { HostRefusal, readSecret, sendSecret, type HostSecret } from '../../../pkg/hostclient/secret.js';
import { noteStoreKeys } from '../../../pkg/management/storeguard/clusternotes.js';
import { keyNameOf } from '../../../pkg/storage/encryption/envelope.js';
import type { EncryptedStore } from '../../../pkg/storage/encryption/openencrypted.js';
import { readServers } from '../../../pkg/storage/encryption/serversrecord.js';
import { readKeyFile } from '../../../pkg/management/upkeep/encryption/keyfile.js';
import { keySecretPlan, notedKeys } from '../../../pkg/storage/encryption/keysecretplan.js';
import { keyFileOf } from '../../../pkg/management/upkeep/encryption/keys.js';
import type { Operations } from '../server/telemetry.js';

const CHECK_INTERVAL_MS = 10_000;
/** The key of the Secret's data. */
const FILE = 'encryption.key';
/** The name of the first key, when a copy of it is kept elsewhere. */
const COPIED = 'management.svc.example/copied-key';
/** By which Helm knows what is its own, and what it keeps when the release goes. */
const helmMetadata = (namespace: string, release: string): Partial<HostSecret['metadata']> => ({
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: {
    'meta.helm.sh/release-name': release,
    'meta.helm.sh/release-namespace': namespace,
    'helm.sh/resource-policy': 'keep',
  },
});

/** What `/metrics` tells of the Secret. */
export interface KeySecretState {
  /** When it was last found without the keys, in seconds since 1970; 0: never. */
  lostAt: number;
  /** Whether nobody has said that there is a copy of the first key elsewhere. */
  uncopied: boolean;
}

export interface KeySecretOptions {
  readonly host: HostClient;
  readonly secret: ObjectKey;
  /** The Helm release that the Secret is of; undefined: of none. */
  readonly release: string | undefined;
  /** Of the Lease of the store. */
  readonly leaseNamespace: string;
  readonly store: Pick<EncryptedStore, 'engine'>;
  readonly state: KeySecretState;
}

export function keepKeySecret(operations: Operations, options: KeySecretOptions): void {
  const stop = new AbortController();
  const keeper = new KeySecretKeeper(operations, options);
  const { signal } = stop;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await keeper.check();
      } catch (error) {
        operations.report('the Secret with the keys of the store cannot be kept', error);
      }
      await sleep(CHECK_INTERVAL_MS, undefined, { signal, ref: false });
    }
  };
  const done = run().catch(() => undefined);
  operations.shutdownHooks.push(async () => {
    stop.abort();
    await done;
  });
}

class KeySecretKeeper {
  private readonly name: string;
  private last: HostSecret | undefined;
  private used: readonly string[] | undefined;
  /** For what the keys were noted. */
  private noted: string | undefined;
  private warned = '';

  constructor(
    private readonly operations: Operations,
    private readonly options: KeySecretOptions,
  ) {
    const { namespace, name } = options.secret;
    this.name = `${namespace}/${name}`;
  }

  /** Rejects without the content of the Secret. */
  async check(): Promise<void> {
    const held = readKeyFile(keyFileOf(this.operations.config.encryption));
    if (held === undefined) return;
    const used = await this.usedOrBefore();
    const found = await readSecret(this.options.host, this.options.secret);
    const text = found && Buffer.from(found.data?.[FILE] ?? '', 'base64').toString();
    const { needed, write } = keySecretPlan(text, held, used);
    if (write === undefined) {
      this.last = found;
      this.warnOfOnlyCopy(needed[0], found);
    } else await this.putBack(found, write, needed);
    // Last, as it needs the store, which may be away while the Secret is gone.
    await this.note(held, needed, used);
  }

  private async putBack(
    found: HostSecret | undefined,
    text: string,
    needed: readonly string[],
  ): Promise<void> {
    const { log } = this.operations;
    this.options.state.lostAt = Date.now() / 1000;
    const what = found === undefined ? 'is gone' : 'lacks a key of the store';
    log.error({ secret: this.name, keys: needed }, `the Secret with the keys of the store ${what}`);
    if (await this.write(found, text)) log.warn({ secret: this.name }, 'the keys of the store were put back');
  }

  /** While the store does not answer: as it was. */
  private async usedOrBefore(): Promise<readonly string[]> {
    try {
      this.used = await this.readUsed();
    } catch (error) {
      if (this.used === undefined) throw error;
    }
    return this.used;
  }

  private async readUsed(): Promise<readonly string[]> {
    const { used } = await readServers(this.options.store.engine);
    return used.map((header) => keyNameOf(header) ?? header);
  }

  /** A Secret that is gone comes back with the labels and annotations by which Helm knows it. False after a conflict. */
  private async write(found: HostSecret | undefined, text: string): Promise<boolean> {
    const { host, secret, release } = this.options;
    const known = release === undefined ? undefined : helmMetadata(secret.namespace, release);
    const { labels, annotations } = this.last?.metadata ?? known ?? {};
    const data = { [FILE]: Buffer.from(text).toString('base64') };
    const answer = await sendSecret(host, secret, found, data, { labels, annotations });
    if (answer.status === 409 || (found !== undefined && answer.status === 404)) return false;
    if (answer.status >= 300) throw new HostRefusal(`write the Secret ${this.name}`, answer);
    return true;
  }

  /** A note is removed once the store is encrypted by other keys than those of the file. */
  private async note(
    held: readonly Buffer[],
    needed: readonly string[],
    used: readonly string[],
  ): Promise<void> {
    if (used.length === 0) return;
    const known = [...needed, '', ...used].join();
    if (known === this.noted) return;
    await noteStoreKeys(this.options.host, this.options.leaseNamespace, async (noted) => {
      const now = await this.readUsed();
      return notedKeys(noted, keySecretPlan(undefined, held, now).needed, now);
    });
    this.noted = known;
  }

  /** Once for each key. */
  private warnOfOnlyCopy(key: string | undefined, found: HostSecret | undefined): void {
    const copied = found?.metadata.annotations?.[COPIED];
    this.options.state.uncopied = key !== undefined && copied !== key;
    if (key === undefined || copied === key || this.warned === key) return;
    this.warned = key;
    const { namespace, name } = this.options.secret;
    this.operations.log.warn(
      { secret: this.name, key },
      `keep a copy of the keys of the store outside of the cluster, then say so: kubectl -n ${namespace} annotate --overwrite secret ${name} ${COPIED}=${key}`,
    );
  }
}
