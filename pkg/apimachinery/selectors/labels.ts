/** Label selectors, with the grammar, order and errors of `k8s.io/apimachinery/pkg/labels`. */
import { aggregate, badRequest } from '../errors.js';
import { checkLength, checkRequirements } from './limits.js';
import {
  labelKeyErrors,
  labelRequirement,
  matcherOf,
  printRequirement,
  requirementErrors,
  type LabelOperator,
  type LabelRequirement,
} from './requirement.js';

const SYMBOLS = ['!', '(', ')', ',', '=', '==', '!=', '>', '<'] as const;

/** Tokens are those of `k8s.io/apimachinery/pkg/labels.Lexer`. */
type TokenKind = 'end' | 'identifier' | (typeof SYMBOLS)[number] | 'in' | 'notin';

interface Token {
  readonly kind: TokenKind;
  /** As written; `''` at the end. */
  readonly text: string;
}

const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>\0]+))/y;

/** All tokens, with an `end` last. A NUL ends the text. Takes linear time. */
function tokens(text: string): Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, symbol, word] = match;
    const kind = SYMBOLS.find((each) => each === symbol);
    if (kind !== undefined) found.push({ kind, text: kind });
    else if (word === 'in' || word === 'notin') found.push({ kind: word, text: word });
    else found.push({ kind: 'identifier', text: word ?? '' });
  }
  found.push({ kind: 'end', text: '' });
  return found;
}

export type { LabelOperator, LabelRequirement } from './requirement.js';

export interface LabelSelector {
  /** Whether every object matches. */
  readonly empty: boolean;
  /** All must match; sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** The canonical text. */
  toString(): string;
}

const NO_LABELS: Readonly<Record<string, string>> = {};

/** A selector of requirements, sorted by key. */
export function labelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const matchers = sorted.map(matcherOf);
  return {
    empty: sorted.length === 0,
    requirements: sorted,
    matches: (labels = NO_LABELS) => matchers.every((matches) => matches(labels)),
    toString: () => sorted.map(printRequirement).join(','),
  };
}

const EVERYTHING = labelSelector([]);

/**
 * Parses the `labelSelector` parameter; `''` matches everything. Throws 400 with Kubernetes' message, also for a
 * selector that is too long.
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return EVERYTHING;
  checkLength('labelSelector', text);
  const cursor = new Cursor(tokens(text));
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const next = cursor.peek();
    if (next.kind === 'end') break;
    if (!startsRequirement(next)) {
      throw badRequest(`found '${next.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(cursor));
    checkRequirements('labelSelector', requirements);
    const separator = cursor.take();
    if (separator.kind === 'end') break;
    if (separator.kind !== ',')
      throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
    const after = cursor.peek();
    if (!startsRequirement(after)) throw badRequest(`found '${after.text}', expected: identifier after ','`);
  }
  return labelSelector(requirements);
}

/** Position in the tokens. Where a key or value is expected, `in` and `notin` are plain words. */
class Cursor {
  private position = 0;
  constructor(private readonly items: readonly Token[]) {}

  peek(): Token {
    return asWord(this.peekOperator());
  }

  take(): Token {
    return asWord(this.takeOperator());
  }

  peekOperator(): Token {
    return this.items[Math.min(this.position, this.items.length - 1)]!;
  }

  takeOperator(): Token {
    const token = this.peekOperator();
    this.position++;
    return token;
  }
}

const asWord = (token: Token): Token =>
  token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token;

const startsRequirement = ({ kind }: Token): boolean => kind === 'identifier' || kind === '!';

const OPERATORS: Partial<Record<TokenKind, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

const refuse = (why: string): Error => badRequest(`unable to parse requirement: ${why}`);

function parseRequirement(cursor: Cursor): LabelRequirement {
  const negated = cursor.peek().kind === '!';
  if (negated) cursor.take();
  const key = cursor.take();
  if (key.kind !== 'identifier') throw refuse(`found '${key.text}', expected: identifier`);
  const keyErrors = labelKeyErrors(key.text, '<nil>');
  if (keyErrors.length > 0) throw refuse(aggregate(keyErrors));
  if (negated) return labelRequirement(key.text, '!', []);
  const next = cursor.peek().kind;
  if (next === 'end' || next === ',') return labelRequirement(key.text, 'exists', []);
  const written = cursor.takeOperator();
  const operator = OPERATORS[written.kind];
  if (operator === undefined) {
    throw refuse(`found '${written.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
  const values = operator === 'in' || operator === 'notin' ? parseValues(cursor) : [parseValue(cursor)];
  const errors = requirementErrors(key.text, operator, values);
  if (errors.length > 0) throw refuse(aggregate(errors));
  return labelRequirement(key.text, operator, values);
}

/** The value after `=`, which may be empty. */
function parseValue(cursor: Cursor): string {
  const next = cursor.peek().kind;
  if (next === 'end' || next === ',') return '';
  const value = cursor.take();
  if (value.kind !== 'identifier') throw refuse(`found '${value.text}', expected: identifier`);
  return value.text;
}

/** `(a,b)`, sorted; a missing value before, between or after commas is the empty value. */
function parseValues(cursor: Cursor): string[] {
  const open = cursor.take();
  if (open.kind !== '(') throw refuse(`found '${open.text}' expected: '('`);
  const first = cursor.peek();
  if (first.kind === ')') {
    cursor.take();
    return [''];
  }
  if (first.kind !== 'identifier' && first.kind !== ',') {
    throw refuse(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values = parseList(cursor);
  cursor.take();
  return [...values].sort();
}

/** The list up to its closing parenthesis, as lenient about commas as Kubernetes: `(a,,b)` but not `(a,,)`. */
function parseList(cursor: Cursor): Set<string> {
  const values = new Set<string>();
  for (;;) {
    const token = cursor.take();
    const next = cursor.peek();
    if (token.kind === 'identifier') {
      values.add(token.text);
      if (next.kind === ')') return values;
      if (next.kind !== ',') throw refuse(`found '${next.text}', expected: ',' or ')'`);
    } else if (token.kind === ',') {
      if (values.size === 0 || next.kind === ')' || next.kind === ',') values.add('');
      if (next.kind === ')') return values;
      if (next.kind === ',') cursor.take();
    } else {
      throw refuse(`found '${token.text}', expected: ',', or identifier`);
    }
  }
}
