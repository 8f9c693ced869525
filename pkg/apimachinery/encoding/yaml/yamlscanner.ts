import { scanBlockScalar } from './yamlblockscalar.js';
import { code, Cursor, isBlank, isSpaceOrEnd } from './yamlcursor.js';
import { scanPlain, scanQuoted } from './yamlflowscalar.js';
import { SimpleKeys } from './yamlsimplekeys.js';
import { type Directive, scanAnchor, scanDirective, scanTag, type Tag } from './yamltag.js';

/** Tokens that are known by their type. `key` is a `?` or stands before a key without one, `value` is a `:`. */
type Mark =
  | 'stream end'
  | '---'
  | '...'
  | 'block sequence'
  | 'block mapping'
  | 'block end'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | '-'
  | 'key'
  | 'value';

/** What the text consists of; `line` is where it begins, from 0. */
export type Token = { readonly line: number } & (
  | { readonly type: Mark }
  | { readonly type: 'scalar'; readonly text: string; readonly isPlain: boolean }
  | { readonly type: 'alias' | 'anchor'; readonly name: string }
  | { readonly type: 'tag'; readonly tag: Tag }
  | { readonly type: 'directive'; readonly directive: Directive }
);

/** What no plain scalar begins with, alone. */
const INDICATORS = new Set([...'-?:,[]{}#&*!|>\'"%@`'].map(code));
const [ASTERISK, AMPERSAND, EXCLAMATION, SINGLE_QUOTE, DOUBLE_QUOTE] = [...'*&!\'"'].map(code);

/**
 * Splits a text into tokens by the rules of YAML 1.1 as `sigs.k8s.io/yaml` has them, which are those of libyaml: a
 * token is only read when it is asked for, or to know whether the one before it is a key. Throws DecodeError.
 */
export class Scanner {
  private readonly cursor: Cursor;
  private readonly simpleKeys: SimpleKeys;
  private simpleKeyAllowed = true;
  /** Tokens that were read and not yet passed, from `head`, and how many were passed. */
  private tokens: Token[] = [];
  private head = 0;
  private passed = 0;
  private flowLevel = 0;
  /** The column of the innermost block collection, -1 outside of all, and those around it. */
  private indent = -1;
  private readonly indents: number[] = [];

  constructor(text: string) {
    this.cursor = new Cursor(text);
    this.simpleKeys = new SimpleKeys(this.cursor);
  }

  /** The next token, which stays the next one. */
  peek(): Token {
    for (;;) {
      const token = this.tokens[this.head];
      if (token !== undefined && !this.simpleKeys.isOpen(this.passed)) return token;
      this.fetch();
    }
  }

  /** Passes the token that `peek` returned. */
  skip(): void {
    this.head++;
    this.passed++;
    if (this.head < this.tokens.length) return;
    this.tokens.length = 0;
    this.head = 0;
  }

  private nextNumber(): number {
    return this.passed + this.tokens.length - this.head;
  }

  /** Adds a token before the one with that number; as the last, if that one was passed. */
  private insert(token: Token, number: number): void {
    if (number < this.passed) this.tokens.push(token);
    else this.tokens.splice(this.head + number - this.passed, 0, token);
  }

  /** Adds a token of so many characters, which stand here. */
  private take(type: Mark, length = 1): void {
    this.tokens.push({ type, line: this.cursor.line });
    this.cursor.at += length;
  }

  private fetch(): void {
    const cursor = this.cursor;
    this.skipToToken();
    this.closeBlocks(cursor.column);
    const next = cursor.peek();
    const marker = cursor.isAtMarker();
    if (next === 0) this.fetchEnd();
    else if (cursor.column === 0 && next === code('%')) this.fetchDirective();
    else if (marker !== undefined) this.fetchMarker(marker);
    else if (!this.fetchFlow(next) && !this.fetchIndicator(next)) this.fetchContent(next);
  }

  private skipToToken(): void {
    for (;;) {
      this.cursor.skipSpaces(this.flowLevel > 0 || !this.simpleKeyAllowed);
      this.cursor.skipComment();
      if (this.cursor.takeBreak() === '') return;
      if (this.flowLevel === 0) this.simpleKeyAllowed = true;
    }
  }

  /** Opens a block collection, unless it is in one with that column; its token has that number, or is the next. */
  private openBlock(
    type: 'block sequence' | 'block mapping',
    column: number,
    line: number,
    number?: number,
  ): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.indents.push(this.indent);
    this.indent = column;
    this.insert({ type, line }, number ?? this.nextNumber());
  }

  private closeBlocks(column: number): void {
    while (this.flowLevel === 0 && this.indent > column) {
      this.take('block end', 0);
      this.indent = this.indents.pop() ?? -1;
    }
  }

  /** Ends everything that is open. */
  private closeAll(): void {
    this.closeBlocks(-1);
    this.simpleKeys.remove();
    this.simpleKeyAllowed = false;
  }

  private fetchEnd(): void {
    // What is on the last line can be no key any more.
    if (this.cursor.column !== 0) this.cursor.startLine();
    this.closeAll();
    this.take('stream end', 0);
  }

  private fetchDirective(): void {
    this.closeAll();
    const { line } = this.cursor;
    this.tokens.push({ type: 'directive', directive: scanDirective(this.cursor), line });
  }

  private fetchMarker(marker: '---' | '...'): void {
    this.closeAll();
    this.take(marker, 3);
  }

  /** Brackets and commas. */
  private fetchFlow(next: number): boolean {
    if (next === code('[')) this.fetchFlowStart('[');
    else if (next === code('{')) this.fetchFlowStart('{');
    else if (next === code(']')) this.fetchFlowEnd(']');
    else if (next === code('}')) this.fetchFlowEnd('}');
    else if (next === code(',')) this.fetchFlowEntry();
    else return false;
    return true;
  }

  private fetchFlowStart(type: '[' | '{'): void {
    this.saveSimpleKey();
    this.simpleKeys.enter(this.nextNumber());
    this.flowLevel++;
    this.simpleKeyAllowed = true;
    this.take(type);
  }

  private fetchFlowEnd(type: ']' | '}'): void {
    this.simpleKeys.remove();
    if (this.flowLevel > 0) {
      this.flowLevel--;
      this.simpleKeys.leave();
    }
    this.simpleKeyAllowed = false;
    this.take(type);
  }

  private fetchFlowEntry(): void {
    this.simpleKeys.remove();
    this.simpleKeyAllowed = true;
    this.take(',');
  }

  private saveSimpleKey(): void {
    if (!this.simpleKeyAllowed) return;
    this.simpleKeys.save(this.nextNumber(), this.flowLevel === 0 && this.indent === this.cursor.column);
  }

  /** `-`, `?` and `:`. */
  private fetchIndicator(next: number): boolean {
    if (next !== code('-') && next !== code('?') && next !== code(':')) return false;
    const isAlone = isSpaceOrEnd(this.cursor.peek(1));
    if (!isAlone && (this.flowLevel === 0 || next === code('-'))) return false;
    if (next === code('-')) this.fetchBlockEntry();
    else if (next === code('?')) this.fetchKey();
    else this.fetchValue();
    return true;
  }

  private fetchBlockEntry(): void {
    this.openBlockHere('block sequence', 'block sequence entries are not allowed in this context');
    this.simpleKeys.remove();
    this.simpleKeyAllowed = true;
    this.take('-');
  }

  private fetchKey(): void {
    this.openBlockHere('block mapping', 'mapping keys are not allowed in this context');
    this.simpleKeys.remove();
    this.simpleKeyAllowed = this.flowLevel === 0;
    this.take('key');
  }

  private fetchValue(): void {
    const key = this.simpleKeys.take();
    if (key === undefined) {
      this.openBlockHere('block mapping', 'mapping values are not allowed in this context');
    } else {
      this.insert({ type: 'key', line: key.line }, key.token);
      this.openBlock('block mapping', key.column, key.line, key.token);
    }
    this.simpleKeyAllowed = key === undefined && this.flowLevel === 0;
    this.take('value');
  }

  private openBlockHere(type: 'block sequence' | 'block mapping', otherwise: string): void {
    if (this.flowLevel > 0) return;
    if (!this.simpleKeyAllowed) throw this.cursor.error(otherwise);
    this.openBlock(type, this.cursor.column, this.cursor.line);
  }

  /** Scalars, aliases, and the properties of nodes. */
  private fetchContent(next: number): void {
    const { line } = this.cursor;
    if (this.flowLevel === 0 && (next === code('|') || next === code('>'))) {
      this.simpleKeys.remove();
      this.simpleKeyAllowed = true;
      const text = scanBlockScalar(this.cursor, this.indent);
      this.tokens.push({ type: 'scalar', text, isPlain: false, line });
      return;
    }
    this.saveSimpleKey();
    this.simpleKeyAllowed = false;
    this.tokens.push(this.scanContent(next, line));
  }

  private scanContent(next: number, line: number): Token {
    const cursor = this.cursor;
    if (this.isPlainStart(next)) return this.scanPlain(line);
    switch (next) {
      case ASTERISK:
        return { type: 'alias', name: scanAnchor(cursor), line };
      case AMPERSAND:
        return { type: 'anchor', name: scanAnchor(cursor), line };
      case EXCLAMATION:
        return { type: 'tag', tag: scanTag(cursor), line };
      case SINGLE_QUOTE:
      case DOUBLE_QUOTE:
        return { type: 'scalar', text: scanQuoted(cursor), isPlain: false, line };
      default:
        throw cursor.error('found character that cannot start any token');
    }
  }

  private isPlainStart(next: number): boolean {
    if (!INDICATORS.has(next)) return !isBlank(next);
    const after = this.cursor.peek(1);
    if (next === code('-')) return !isBlank(after);
    return this.flowLevel === 0 && (next === code('?') || next === code(':')) && !isSpaceOrEnd(after);
  }

  private scanPlain(line: number): Token {
    const { text, broken } = scanPlain(this.cursor, this.indent + 1, this.flowLevel > 0);
    if (broken) this.simpleKeyAllowed = true;
    return { type: 'scalar', text, isPlain: true, line };
  }
}
