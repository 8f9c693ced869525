/** The keyring of a running server. It can be replaced, and encrypts with a key only when the key is allowed. */
import { textOfHeader } from './envelope.js';
import type { Keyring, Transformer } from './interface.js';

export class LiveKeyring implements Keyring {
  private known: Keyring;
  /** The transformers that may encrypt; undefined: all of them. */
  private allowed: ReadonlySet<Transformer> | undefined;
  private fallback: Transformer | undefined;
  private used: readonly string[] = [];

  constructor(keyring: Keyring) {
    this.known = keyring;
  }

  writer(key: string): Transformer | undefined {
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

  /** The prefixes of the keys that it would encrypt with. */
  get wants(): readonly string[] {
    return [...new Set(this.known.writers.map(textOfHeader))];
  }

  /** The prefixes of the keys that it would encrypt with if only the keys in `used` were allowed. */
  writesWith(used: readonly string[]): readonly string[] {
    const { wants } = this;
    const granted = wants.filter((header) => used.includes(header));
    if (granted.length === wants.length) return wants;
    const fallback = used.find((header) => this.reader(header) !== undefined);
    return [...new Set([...granted, ...(fallback === undefined ? wants : [fallback])])];
  }

  /** Encrypts only with these keys from now on. If there are none, all keys may encrypt. */
  allow(used: readonly string[]): void {
    this.used = used;
    const fallback = used.find((header) => this.reader(header) !== undefined);
    this.fallback = fallback === undefined ? undefined : this.reader(fallback);
    this.allowed =
      this.fallback === undefined
        ? undefined
        : new Set(this.known.writers.filter((one) => used.includes(textOfHeader(one))));
  }

  /** The first of the allowed keys that `keyring` cannot decrypt with. */
  lacking(keyring: Keyring = this.known): string | undefined {
    return this.used.find((header) => keyring.reader(header) === undefined);
  }

  /** Decrypts with these keys at once; encrypts with new ones when they are allowed. */
  replace(keyring: Keyring): void {
    this.known = keyring;
    this.allow(this.used);
  }
}
