import type { Cursor } from './yamlcursor.js';

/** A place where a token begins that is a key, if a `:` follows on its line. */
interface SimpleKey {
  possible: boolean;
  /** In a block mapping a text at the column of the other keys must be one. */
  readonly required: boolean;
  /** Of the token, counted from the start of the text. */
  readonly token: number;
  readonly at: number;
  /** The furthest place for the `:`, once it was needed. */
  end?: number;
  readonly column: number;
  readonly line: number;
}

/** The maximum number of characters from the start of a key without `?` to its `:`. */
const MAX_LENGTH = 1024;

/** The last possible key without `?` of the block and of each flow collection that is open. Methods throw DecodeError. */
export class SimpleKeys {
  private readonly cursor: Cursor;
  private readonly keys: SimpleKey[] = [];
  /** The index in them by the token. */
  private readonly byToken = new Map<number, number>();

  constructor(cursor: Cursor) {
    this.cursor = cursor;
    this.enter(0);
  }

  /** Begins a flow collection, whose first token that is. */
  enter(token: number): void {
    this.keys.push(this.here(false, false, token));
  }

  leave(): void {
    const key = this.keys.pop();
    if (key !== undefined) this.byToken.delete(key.token);
  }

  private here(possible: boolean, required: boolean, token: number): SimpleKey {
    const { at, column, line } = this.cursor;
    return { possible, required, token, at, column, line };
  }

  /** The token that begins here may be a key. */
  save(token: number, required: boolean): void {
    this.remove();
    this.keys[this.keys.length - 1] = this.here(true, required, token);
    this.byToken.set(token, this.keys.length - 1);
  }

  /** The last possible key is none. */
  remove(): void {
    const key = this.keys.at(-1);
    if (!key?.possible) return;
    if (key.required) throw this.cursor.error("could not find expected ':'");
    key.possible = false;
    this.byToken.delete(key.token);
  }

  /** The key of a `:` that is here. */
  take(): SimpleKey | undefined {
    const key = this.keys.at(-1);
    if (key === undefined || !this.isValid(key)) return undefined;
    key.possible = false;
    this.byToken.delete(key.token);
    return key;
  }

  /** Whether it depends on what comes next if a token is a key. */
  isOpen(token: number): boolean {
    const index = this.byToken.get(token);
    const key = index === undefined ? undefined : this.keys[index];
    return key !== undefined && this.isValid(key);
  }

  private isValid(key: SimpleKey): boolean {
    if (!key.possible) return false;
    if (key.line === this.cursor.line && this.isShort(key)) return true;
    if (key.required) throw this.cursor.error("could not find expected ':'");
    key.possible = false;
    return false;
  }

  private isShort(key: SimpleKey): boolean {
    const { source, at } = this.cursor;
    if (at - key.at <= MAX_LENGTH) return true;
    key.end ??= behindCharacters(source, key.at, MAX_LENGTH);
    return at <= key.end;
  }
}

/** The index behind so many characters, of which some are two UTF-16 units. */
function behindCharacters(source: string, start: number, count: number): number {
  let at = start;
  for (let n = 0; n < count; n++) at += (source.charCodeAt(at) & 0xfc00) === 0xd800 ? 2 : 1;
  return at;
}
