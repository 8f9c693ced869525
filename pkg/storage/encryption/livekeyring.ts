/** The keyring of a server that runs: it may be replaced, and writes with a key only once that is allowed. */
import { textOfHeader } from './envelope.js';
import type { Keyring, Transformer } from './interface.js';

export class LiveKeyring implements Keyring {
  private known: Keyring;
  /** The ones that may write; undefined: all of them. */
  private allowed: ReadonlySet<Transformer> | undefined;
  private fallback: Transformer | undefined;
  private used: readonly string[] = [];
  private withheld = false;

  constructor(keyring: Keyring) {
    this.known = keyring;
  }

  writer(key: string): Transformer | undefined {
    if (this.withheld) return undefined;
    const wanted = this.known.writer(key);
    if (wanted === undefined || this.allowed === undefined || this.allowed.has(wanted)) return wanted;
    return this.fallback ?? wanted;
  }
  reader(header: string): Transformer | undefined {
    return this.known.reader(header);
  }
  plaintext(key: string): boolean {
    return this.known.plaintext(key);
  }
  get rules(): string | undefined {
    return this.known.rules;
  }
  get writers(): readonly Transformer[] {
    return this.known.writers;
  }
  get readers(): readonly string[] {
    return this.known.readers;
  }

  /** Headers of what it would write with. */
  get wants(): readonly string[] {
    return [...new Set(this.known.writers.map(textOfHeader))];
  }

  /** What it writes with if these are what may be written with. */
  writesWith(used: readonly string[]): readonly string[] {
    if (this.withheld && used.length === 0) return [];
    const { wants } = this;
    const granted = wants.filter((header) => used.includes(header));
    if (granted.length === wants.length) return wants;
    const fallback = used.find((header) => this.reader(header) !== undefined);
    return [...new Set([...granted, ...(fallback === undefined ? wants : [fallback])])];
  }

  /** Nothing is encrypted until a key is allowed: others of the store may not be able to read it. */
  withhold(): void {
    this.withheld = this.used.length === 0;
  }

  /** Whether nothing is encrypted yet. */
  get isWithheld(): boolean {
    return this.withheld;
  }

  /** From now on only these are written with; none: all are, unless they are withheld. */
  allow(used: readonly string[]): void {
    this.used = used;
    if (used.length > 0) this.withheld = false;
    const fallback = used.find((header) => this.reader(header) !== undefined);
    this.fallback = fallback === undefined ? undefined : this.reader(fallback);
    this.allowed =
      this.fallback === undefined
        ? undefined
        : new Set(this.known.writers.filter((one) => used.includes(textOfHeader(one))));
  }

  /** Of those that may be written with, the first that `keyring` cannot read. */
  lacking(keyring: Keyring = this.known): string | undefined {
    return this.used.find((header) => keyring.reader(header) === undefined);
  }

  /** Reads with these keys at once; writes with new ones once they are allowed. */
  replace(keyring: Keyring): void {
    this.known = keyring;
    this.allow(this.used);
  }
}
