/**
 * The membership of a server among the servers of its store, which agree on the keys that encrypt. {@link Servers} is
 * the shared state.
 */
import { randomBytes } from 'node:crypto';
import type { Storage } from '../interface.js';
import { STORE_FORMAT } from '../storeformat.js';
import { keyNameOf } from './envelope.js';
import { WrongKeys } from './interface.js';
import { isFailedPrecondition } from '../precondition.js';
import type { LiveKeyring } from './livekeyring.js';
import { formatServers, readServers, SERVERS_KEY, type ServerEntry, type Servers } from './serversrecord.js';

/**
 * A server whose heartbeat has not changed for this time is considered gone. The clocks of other servers are not used.
 */
const GONE_MS = 60_000;
/**
 * A server that could not renew its membership for this time renews it before it writes, as the others may consider it
 * gone.
 */
const LAPSED_MS = 40_000;
const ATTEMPTS = 20;

type Entries = Readonly<Record<string, ServerEntry>>;

export class Membership {
  readonly id = randomBytes(6).toString('hex');
  private readonly beats = new Map<string, { readonly beat: number; readonly since: number }>();
  private readonly shared: boolean;
  private beat = 0;
  private renewedAt: number | undefined;
  private known: Servers = { used: [], servers: {} };
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly engine: Storage,
    private readonly keys: LiveKeyring,
    /** For messages: the machine, and the source of the keys. */
    private readonly self: { readonly name: string; readonly source: string },
    private readonly now: () => number = () => performance.now(),
  ) {
    this.shared = engine.capabilities.shared;
  }

  /** Whether it may write. False if other servers may consider it gone. */
  get current(): boolean {
    return !this.shared || this.renewedAt === undefined || this.now() - this.renewedAt < LAPSED_MS;
  }

  /** Whether it has a key to encrypt with that other servers cannot decrypt with yet. */
  get waits(): boolean {
    return this.keys.wants.some((header) => !this.known.used.includes(header));
  }

  /** Whether all servers encrypt with the same keys, and these are the configured ones. */
  get agreed(): boolean {
    const wants = textOf(this.keys.wants);
    const own = !this.waits;
    return (
      own &&
      this.entries.every(
        ([, entry]) => textOf(entry.wants) === wants && textOf(entry.writes) === textOf(entry.wants),
      )
    );
  }

  /** The number of servers that this one knows of, including itself. */
  count(): number {
    return Math.max(1, this.entries.length);
  }

  /** Whether this server does what only one server should do. */
  get first(): boolean {
    return this.entries.every(([id]) => id >= this.id);
  }

  /** Whether a server is running that supports only an older format of stores. */
  get hasOlder(): boolean {
    return this.entries.some(([, { format }]) => format < STORE_FORMAT);
  }

  /** Whether records may need keys with which no server encrypts any more. */
  get hasOld(): boolean {
    return this.known.used.some((header) => !this.keys.wants.includes(header));
  }

  /**
   * Joins, or renews the membership, and reads which keys may encrypt. Rejects with WrongKeys, before anything is
   * written, if records may need a key that this server does not have, and with StorageError.
   */
  renew(): Promise<void> {
    return this.inTurn(async () => {
      const began = this.now();
      await this.change((servers) => this.joined(servers));
      this.renewedAt = began;
    });
  }

  /** Removes the keys with which no server encrypts. Call it only if no record needs them. */
  forgetOld(): Promise<void> {
    return this.inTurn(() =>
      this.change((servers) => {
        const writes = Object.values(servers.servers).flatMap((entry) => entry.writes);
        return { ...servers, used: servers.used.filter((header) => writes.includes(header)) };
      }),
    );
  }

  /** Removes this server, so that the others need not wait until it is considered gone. */
  leave(): Promise<void> {
    if (this.renewedAt === undefined) return Promise.resolve();
    return this.inTurn(() =>
      this.change(({ used, servers }) => {
        const { [this.id]: _own, ...others } = servers;
        return { used, servers: others };
      }),
    );
  }

  private get entries(): readonly (readonly [string, ServerEntry])[] {
    return Object.entries(this.known.servers);
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.turn.then(step, step);
    this.turn = done.catch(() => undefined);
    return done;
  }

  private async change(changed: (servers: Servers) => Servers): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { revision, ...servers } = await readServers(this.engine);
      this.checkKeys(servers.used);
      const next = changed(servers);
      try {
        const expect = revision ?? 'absent';
        await this.engine.commit([{ key: SERVERS_KEY, value: formatServers(next), expect }]);
        this.known = next;
        this.keys.allow(next.used);
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || !isFailedPrecondition(error)) throw error;
      }
    }
  }

  private joined({ used, servers }: Servers): Servers {
    const others = this.present(servers);
    const { readers, wants } = this.keys;
    const all = Object.values(others);
    const granted = wants.filter(
      (header) => used.includes(header) || all.every(({ reads }) => reads.includes(header)),
    );
    const next = [...used, ...granted.filter((header) => !used.includes(header))];
    this.beat += 1;
    const writes = this.keys.writesWith(next);
    const entry = {
      name: this.self.name,
      beat: this.beat,
      reads: readers,
      wants,
      writes,
      format: STORE_FORMAT,
    };
    return { used: next, servers: { ...others, [this.id]: entry } };
  }

  /** The other servers that are running, as far as is known. */
  private present(servers: Entries): Entries {
    if (!this.shared) return {};
    const now = this.now();
    const there = Object.entries(servers).filter(([id, { beat }]) => {
      if (id === this.id) return false;
      if (this.beats.get(id)?.beat !== beat) this.beats.set(id, { beat, since: now });
      return now - (this.beats.get(id)?.since ?? now) < GONE_MS;
    });
    return Object.fromEntries(there);
  }

  private checkKeys(used: readonly string[]): void {
    const lacking = used.find((header) => this.keys.reader(header) === undefined);
    if (lacking !== undefined) throw lacks(lacking, this.self.source);
  }
}

/** `header`: the prefix of values that need the missing key. */
export const lacks = (header: string, source: string): WrongKeys =>
  new WrongKeys(
    `the store is encrypted with key ${keyNameOf(header) ?? header}, which is not in ${source}: give the keys that the store was written with; nothing was changed`,
  );

const textOf = (headers: readonly string[]): string => [...headers].sort().join('\n');
