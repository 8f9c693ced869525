/**
 * The KMS plug-ins of an encryption configuration, and the data keys that they encrypt. The server creates a data key
 * for each key id of the KMS. The plug-in encrypts the data key, and the result is stored in a record ({@link
 * readSeeds}). The plug-in decrypts it once; values are encrypted with keys that are derived from the data key, as in
 * KMS v2.
 */
import { NO_RESTORE } from '../../unfinished.js';
import type { Storage } from '../../interface.js';
import { dataKeyName } from '../hkdfaesgcm.js';
import type { Transformer } from '../interface.js';
import { SEEDS_PREFIX } from '../selection.js';
import { readServers } from '../serversrecord.js';
import { KmsRefused, KmsUnavailable, type ConnectKms, type Kms, type KmsProvider } from './interface.js';
import { isFailedPrecondition } from '../../precondition.js';
import { neededOf, newSeed } from './newseed.js';
import { formatSeeds, readSeeds, type Seed } from './seedsrecord.js';
import { headerOfSeed, notMade, transformerOf, unavailable } from './transformers.js';

/** The interval between status calls to a plug-in, also while it does not respond. As in kube-apiserver. */
const ASK_MS = 60_000;
const ASK_AGAIN_MS = 10_000;
/**
 * If the plug-in has not responded for this time, its keys do not encrypt any more, as the key may have been disabled.
 * As in kube-apiserver.
 */
export const CONFIRMED_MS = 180_000;
const ATTEMPTS = 10;

/** A plug-in, and whether its keys encrypt. */
export interface UsedProvider extends KmsProvider {
  readonly writes: boolean;
}

/** The store of the data keys. Without `commit`, none is created. */
export type SeedStore = Pick<Storage, 'get'> & Partial<Pick<Storage, 'commit'>>;

const connect: ConnectKms = async (provider) => (await import('./client.js')).connectKms(provider);

export class KmsPlugins {
  private readonly opened = new Map<string, Transformer>();
  private readonly problems = new Map<string, string>();
  private readonly refusals = new Map<string, string>();
  private readonly confirmedAt = new Map<string, number>();
  private readonly revisions = new Map<string, number | undefined>();
  private askAt = 0;

  constructor(
    private readonly connectTo: ConnectKms = connect,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The errors of plug-ins that cannot be used. */
  get faults(): readonly string[] {
    return [...this.problems.values()];
  }

  /** Why data keys of the store could not be decrypted, for the operator. */
  get refused(): readonly string[] {
    return [...this.refusals.values()];
  }

  /** Drops the state of all other plug-ins. */
  keep(names: readonly string[]): void {
    for (const known of [this.problems, this.revisions])
      for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
    if (names.length === 0) this.askAt = 0;
  }

  /** Whether it is time for status calls, or another server has created a data key. Rejects with StorageError. */
  async due(engine: SeedStore): Promise<boolean> {
    if (this.now() >= this.askAt) return this.askAt > 0;
    for (const [name, known] of this.revisions)
      if ((await engine.get(SEEDS_PREFIX + name)).record?.revision !== known) return true;
    return false;
  }

  /**
   * The transformers of a plug-in. The first has the data key for the key that the KMS encrypts with now; if there is
   * no such data key, and none may be created, it refuses to encrypt. Rejects with KmsUnavailable if the plug-in is
   * required and unavailable, with WrongKeys, and with StorageError.
   */
  async load(provider: UsedProvider, store: SeedStore): Promise<readonly Transformer[]> {
    const { name } = provider;
    const kms = await this.connectTo(provider);
    try {
      const transformers = await this.ask(kms, provider, store);
      this.problems.delete(name);
      this.confirmedAt.set(name, this.now());
      return transformers;
    } catch (error) {
      if (!(error instanceof KmsUnavailable)) throw error;
      this.problems.set(name, error.message);
      const known = await this.known(provider, store);
      if (known === undefined) throw error;
      return known;
    } finally {
      this.askAt = this.now() + (this.problems.size > 0 ? ASK_AGAIN_MS : ASK_MS);
      kms.close();
    }
  }

  private async ask(kms: Kms, provider: UsedProvider, store: SeedStore): Promise<readonly Transformer[]> {
    const keyId = await kms.keyId();
    for (let attempt = 1; ; attempt += 1) {
      const { seeds, revision } = await readSeeds(store, provider.name);
      this.revisions.set(provider.name, revision);
      const current = seeds.findLast(({ wrapped }) => wrapped.keyId === keyId);
      if (current === undefined && provider.writes && store.commit !== undefined) {
        const made = await newSeed(kms, keyId);
        const kept = await neededOf(store, provider.name, seeds);
        const write = { key: SEEDS_PREFIX + provider.name, value: formatSeeds([...kept, made]) };
        try {
          await store.commit([{ ...write, expect: revision ?? 'absent' }], NO_RESTORE);
        } catch (error) {
          if (!isFailedPrecondition(error) || attempt === ATTEMPTS) throw error;
        }
        continue;
      }
      const all = await Promise.all(seeds.map((seed) => this.open(kms, provider, seed)));
      const first = all[seeds.findIndex((seed) => seed === current)] ?? notMade(provider);
      return [first, ...all.filter((one) => one !== undefined).filter((one) => one !== first)];
    }
  }

  /** Undefined if the plug-in does not decrypt the data key: then only the values that it encrypted cannot be read. */
  private async open(kms: Kms, provider: KmsProvider, seed: Seed): Promise<Transformer | undefined> {
    const id = idOf(provider, seed);
    const known = this.opened.get(id);
    if (known !== undefined) return known;
    try {
      const dataKey = await kms.decrypt(seed.wrapped, seed.uid);
      if (dataKeyName(dataKey) !== seed.name)
        throw new KmsRefused(`the KMS plug-in ${provider.name} answers another key than was encrypted`);
      const transformer = this.confirmed(provider, transformerOf(provider, dataKey));
      this.opened.set(id, transformer);
      this.refusals.delete(id);
      return transformer;
    } catch (error) {
      if (!(error instanceof KmsRefused)) throw error;
      this.refusals.set(id, `key ${provider.name}-${seed.name}: ${error.message}`);
      return undefined;
    }
  }

  /** The transformers that are cached, while the plug-in is unavailable; undefined if they are not sufficient. */
  private async known(provider: UsedProvider, store: SeedStore): Promise<Transformer[] | undefined> {
    if (provider.writes) return undefined;
    const { seeds, revision } = await readSeeds(store, provider.name);
    const { used } = await readServers(store);
    this.revisions.set(provider.name, revision);
    const all = seeds.map((seed) => this.opened.get(idOf(provider, seed)));
    const lacks = seeds.some(
      (seed, at) =>
        all[at] === undefined && (used.length === 0 || used.includes(headerOfSeed(provider.name, seed))),
    );
    return lacks ? undefined : all.filter((one) => one !== undefined);
  }

  /** Wraps a transformer so that it encrypts only while the plug-in confirms periodically that its key is in use. */
  private confirmed({ name, endpoint }: KmsProvider, transformer: Transformer): Transformer {
    return {
      ...transformer,
      encrypt: (value, key) => {
        const since = this.confirmedAt.get(name);
        if (since !== undefined && this.now() - since > CONFIRMED_MS)
          throw unavailable(
            `${this.problems.get(name) ?? `the KMS plug-in ${name} at ${endpoint} was not asked`}; no secrets are written until it answers, as it did not for ${CONFIRMED_MS / 60_000} minutes`,
            { name },
          );
        return transformer.encrypt(value, key);
      },
    };
  }
}

const idOf = ({ name }: KmsProvider, { name: seed, wrapped }: Seed): string =>
  [name, seed, wrapped.ciphertext.toString('base64')].join('\n');
