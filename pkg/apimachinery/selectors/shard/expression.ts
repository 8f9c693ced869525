/**
 * The expressions of CEL that a shard selector may have, and those that it is refused for by what they are: all but maps
 * and messages. Errors of the grammar have our own words.
 */
import { syntaxError, tokens, type Token } from './tokens.js';

/** By `ast.ExprKind` of `github.com/google/cel-go`, whose numbers errors have. */
export type Expression =
  | { readonly kind: 1; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 3; readonly name: string }
  | { readonly kind: 4 }
  | { readonly kind: 5; readonly go: string; readonly text: string }
  | { readonly kind: 7; readonly operand: Expression; readonly field: string };

export const OR = '_||_';

const BINARY: readonly Readonly<Record<string, string>>[] = [
  { '||': OR },
  { '&&': '_&&_' },
  { '<': '_<_', '<=': '_<=_', '>': '_>_', '>=': '_>=_', '==': '_==_', '!=': '_!=_', in: '@in' },
  { '+': '_+_', '-': '_-_' },
  { '*': '_*_', '/': '_/_', '%': '_%_' },
];
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const MAX_DEPTH = 250;

/** Throws an Error `CEL parse error: …`. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(tokens(text));
  const parsed = parser.expression();
  parser.expect('');
  return parsed;
}

class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly all: readonly Token[]) {}

  /** `a ? b : c`, and all that binds more. */
  expression(): Expression {
    if (++this.depth > MAX_DEPTH)
      throw new Error(`CEL parse error: expression recursion limit exceeded: ${MAX_DEPTH}`);
    let found = this.binary(0);
    if (this.take('?')) {
      const then = this.binary(0);
      this.expect(':');
      found = { kind: 1, name: '_?_:_', args: [found, then, this.expression()] };
    }
    this.depth -= 1;
    return found;
  }

  /** A chain of operators of one precedence is one call, however long. */
  private binary(level: number): Expression {
    const operators = BINARY[level];
    if (operators === undefined) return this.unary();
    const args = [this.binary(level + 1)];
    let name = '';
    for (let next = this.symbol(); Object.hasOwn(operators, next); next = this.symbol()) {
      name = operators[next] ?? '';
      this.at += 1;
      args.push(this.binary(level + 1));
    }
    return args.length === 1 && args[0] !== undefined ? args[0] : { kind: 1, name, args };
  }

  private unary(): Expression {
    for (const sign of ['!', '-']) {
      let count = 0;
      while (this.take(sign)) count += 1;
      if (count === 0) continue;
      const operand = this.member();
      const isNumber = sign === '-' && operand.kind === 5 && /^(int|float)64$/.test(operand.go);
      return count % 2 === 0 || isNumber ? operand : { kind: 1, name: `${sign}_`, args: [operand] };
    }
    return this.member();
  }

  private member(): Expression {
    let found = this.primary();
    for (;;) {
      if (this.take('[')) {
        found = { kind: 1, name: '_[_]', args: [found, this.expression()] };
        this.expect(']');
      } else if (this.take('.')) {
        const next = this.next();
        if (next.kind !== 'name' && next.kind !== 'field') throw this.unexpected(next);
        const called = next.kind === 'name' && this.take('(');
        found = called
          ? { kind: 1, name: next.text, args: this.list(')') }
          : { kind: 7, operand: found, field: next.text };
      } else return found;
    }
  }

  private primary(): Expression {
    const first = this.next();
    if (first.kind === 'literal') return { kind: 5, go: first.go, text: first.text };
    if (first.kind === 'symbol' && first.text === '(') {
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (first.kind === 'symbol' && first.text === '[') {
      this.list(']');
      return { kind: 4 };
    }
    const dot = first.kind === 'symbol' && first.text === '.' ? '.' : '';
    const named = dot === '' ? first : this.next();
    if (named.kind !== 'name') throw this.unexpected(named);
    if (RESERVED.has(named.text)) throw new Error(`CEL parse error: reserved identifier: ${named.text}`);
    const name = dot + named.text;
    return this.take('(') ? { kind: 1, name, args: this.list(')') } : { kind: 3, name };
  }

  private list(end: string): Expression[] {
    const found: Expression[] = [];
    if (this.take(end)) return found;
    do found.push(this.expression());
    while (this.take(','));
    this.expect(end);
    return found;
  }

  /** The text of the next token if that is a symbol. */
  private symbol(): string {
    const next = this.all[this.at];
    return next?.kind === 'symbol' ? next.text : '';
  }

  private take(symbol: string): boolean {
    if (this.symbol() !== symbol) return false;
    this.at += 1;
    return true;
  }

  private next(): Token {
    const next = this.all[this.at];
    if (next === undefined) throw syntaxError('unexpected end');
    this.at += 1;
    return next;
  }

  expect(symbol: string): void {
    const next = this.next();
    if (next.kind !== 'symbol' || next.text !== symbol) throw this.unexpected(next);
  }

  private unexpected({ text }: Token): Error {
    return syntaxError(text === '' ? 'unexpected end' : `unexpected '${text}'`);
  }
}
