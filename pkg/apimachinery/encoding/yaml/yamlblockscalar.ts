import { code, type Cursor, isBlank, isBreak, isBreakOrEnd } from './yamlcursor.js';

/** What stands behind `|` or `>`; `increment` is 0 without an indentation indicator. */
interface Header {
  readonly chomping: '-' | '+' | '';
  readonly increment: number;
}

/** Reads a literal or folded scalar in a block with that indent, which is -1 outside of any. */
export function scanBlockScalar(cursor: Cursor, blockIndent: number): string {
  const isFolded = cursor.peek() === code('>');
  cursor.at++;
  const { chomping, increment } = takeHeader(cursor);
  const lines = new Lines(cursor, blockIndent, increment);
  let text = '';
  let lineBreak = '';
  let wasBlank = false;
  while (lines.isAtLine()) {
    const startsBlank = isBlank(cursor.peek());
    const folds = isFolded && lineBreak === '\n' && !wasBlank && !startsBlank;
    text += (folds ? (lines.emptyLines === '' ? ' ' : '') : lineBreak) + lines.emptyLines;
    text += cursor.take((next) => !isBreakOrEnd(next));
    wasBlank = startsBlank;
    lineBreak = cursor.takeBreak();
    lines.skipIndent();
  }
  return text + (chomping === '-' ? '' : lineBreak) + (chomping === '+' ? lines.emptyLines : '');
}

function takeHeader(cursor: Cursor): Header {
  let chomping = takeChomping(cursor);
  let increment = 0;
  const digit = cursor.peek() - code('0');
  if (digit === 0) throw cursor.error('found an indentation indicator equal to 0');
  if (digit > 0 && digit < 10) {
    increment = digit;
    cursor.at++;
    if (chomping === '') chomping = takeChomping(cursor);
  }
  cursor.skipSpaces(true);
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.peek())) throw cursor.error('did not find expected comment or line break');
  cursor.takeBreak();
  return { chomping, increment };
}

function takeChomping(cursor: Cursor): Header['chomping'] {
  const next = cursor.peek();
  if (next !== code('-') && next !== code('+')) return '';
  cursor.at++;
  return next === code('-') ? '-' : '+';
}

/** The lines of a block scalar. Without an indentation indicator the first of them that is not empty sets the indent. */
class Lines {
  private readonly cursor: Cursor;
  private readonly leastIndent: number;
  private indent: number;
  /** The breaks of the empty lines that were passed last. */
  emptyLines = '';

  constructor(cursor: Cursor, blockIndent: number, increment: number) {
    this.cursor = cursor;
    this.leastIndent = Math.max(blockIndent + 1, 1);
    this.indent = increment === 0 ? 0 : Math.max(blockIndent, 0) + increment;
    this.skipIndent();
  }

  isAtLine(): boolean {
    return this.cursor.column === this.indent && this.cursor.peek() !== 0;
  }

  /** Passes empty lines and the indent of the next one. */
  skipIndent(): void {
    const cursor = this.cursor;
    const isInIndent = (): boolean => this.indent === 0 || cursor.column < this.indent;
    let widest = 0;
    this.emptyLines = '';
    for (;;) {
      while (isInIndent() && cursor.peek() === code(' ')) cursor.at++;
      widest = Math.max(widest, cursor.column);
      if (isInIndent() && cursor.peek() === code('\t')) {
        throw cursor.error('found a tab character where an indentation space is expected');
      }
      if (!isBreak(cursor.peek())) break;
      this.emptyLines += cursor.takeBreak();
    }
    if (this.indent === 0) this.indent = Math.max(widest, this.leastIndent);
  }
}
