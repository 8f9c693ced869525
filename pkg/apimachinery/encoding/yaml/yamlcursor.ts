import { DecodeError } from '../json.js';

/** The code of a character. */
export const code = (character: string): number => character.charCodeAt(0);

const SPACE = code(' ');
const TAB = code('\t');
const LF = code('\n');
const CR = code('\r');
const NEXT_LINE = 0x85;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

export const isBlank = (of: number): boolean => of === SPACE || of === TAB;

/** Whether it is a line break of YAML 1.1. */
export const isBreak = (of: number): boolean =>
  of === LF || of === CR || of === NEXT_LINE || of === LINE_SEPARATOR || of === PARAGRAPH_SEPARATOR;

/** The end of the text has the code 0, which no text may have. */
export const isBreakOrEnd = (of: number): boolean => of === 0 || isBreak(of);

export const isSpaceOrEnd = (of: number): boolean => isBlank(of) || isBreakOrEnd(of);

/** The scanner's furthest look ahead. */
const END = '\0\0\0\0';

/** A position in a text: offsets and columns in UTF-16 units, lines from 0. */
export class Cursor {
  readonly source: string;
  at = 0;
  line = 0;
  private lineStart = 0;

  constructor(text: string) {
    this.source = text + END;
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  /** The code of the character so many places ahead. */
  peek(ahead = 0): number {
    return this.source.charCodeAt(this.at + ahead);
  }

  /** Moves on while `test` holds, which it must not for 0, and returns what it passed. */
  take(test: (of: number) => boolean): string {
    const start = this.at;
    while (test(this.source.charCodeAt(this.at))) this.at++;
    return this.source.slice(start, this.at);
  }

  /** Passes spaces, and tabs where they may stand. */
  skipSpaces(andTabs: boolean): void {
    for (let next = this.peek(); next === SPACE || (andTabs && next === TAB); next = this.peek()) this.at++;
  }

  skipComment(): void {
    if (this.peek() !== code('#')) return;
    while (!isBreakOrEnd(this.peek())) this.at++;
  }

  /** Passes a line break, if there is one, and returns it as a text has it: mostly as a line feed. */
  takeBreak(): string {
    const first = this.peek();
    if (!isBreak(first)) return '';
    this.at += first === CR && this.peek(1) === LF ? 2 : 1;
    this.startLine();
    return first >= LINE_SEPARATOR ? String.fromCharCode(first) : '\n';
  }

  startLine(): void {
    this.line++;
    this.lineStart = this.at;
  }

  /** Whether `---` or `...` stands here, alone at the start of a line. */
  isAtMarker(): '---' | '...' | undefined {
    if (this.column !== 0 || !isSpaceOrEnd(this.peek(3))) return undefined;
    const first = this.peek();
    if (first !== this.peek(1) || first !== this.peek(2)) return undefined;
    return first === code('-') ? '---' : first === code('.') ? '...' : undefined;
  }

  /** The error of a scanner that found this here. Go's scanner counts lines from 1, and does not name the first. */
  error(problem: string): DecodeError {
    return new DecodeError(`yaml: ${this.line === 0 ? '' : `line ${this.line + 1}: `}${problem}`);
  }
}
