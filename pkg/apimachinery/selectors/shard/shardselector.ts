/** Shard selectors (`k8s.io/apiserver/pkg/sharding` and `k8s.io/apimachinery/pkg/sharding` of 1.37.2). */
import { badRequest, quote } from '../../errors.js';
import { inWords } from '../../starterror.js';
import { checkLength, checkRequirements } from '../limits.js';
import { OR, parseExpression, type Expression } from './expression.js';
import { hashField } from './hash.js';

const FIELDS = ['object.metadata.uid', 'object.metadata.namespace'] as const;

type ShardField = (typeof FIELDS)[number];

/** `start` is in it, `end` is not: `0x` and 16 digits, or 2^64. */
interface ShardRange {
  readonly field: ShardField;
  readonly start: string;
  readonly end: string;
}

export interface ShardSelector {
  /** Of all ranges. */
  readonly field: ShardField;
  /** Whether a value of the field is in one of the ranges. */
  matches(value: string): boolean;
  /** The canonical text. */
  toString(): string;
}

/** Parses the `shardSelector` parameter, which is not empty. Throws 400. */
export function parseShardSelector(text: string): ShardSelector {
  checkLength('shardSelector', text);
  const ranges = parsed(text);
  checkRequirements('shardSelector', ranges);
  const [{ field }] = ranges;
  const printed = ranges.map(({ start, end }) => `shardRange(${field}, '${start}', '${end}')`).join(' || ');
  return {
    field,
    matches(value) {
      const hash = `0x${hashField(value)}`;
      return ranges.some(({ start, end }) => !hexLess(hash, start) && hexLess(hash, end));
    },
    toString: () => printed,
  };
}

function parsed(text: string): readonly [ShardRange, ...ShardRange[]] {
  try {
    const trimmed = text.trim();
    if (trimmed === '')
      throw new Error('empty shard selector is not allowed; omit the parameter for unfiltered lists');
    const [first, ...rest] = rangesOf(parseExpression(trimmed));
    if (first === undefined) throw new Error('no shardRange() was given');
    const other = rest.find(({ field }) => field !== first.field);
    if (other === undefined) return [first, ...rest];
    throw new Error(
      `all shard ranges must use the same field, got ${quote(first.field)} and ${quote(other.field)}`,
    );
  } catch (error) {
    throw badRequest(`invalid shard selector: ${inWords(error)}`);
  }
}

function rangesOf(expression: Expression): ShardRange[] {
  if (expression.kind !== 1)
    throw new Error(
      `unexpected expression kind ${expression.kind}; expected shardRange() call or || operator`,
    );
  const { name, args } = expression;
  if (name === OR) return args.flatMap(rangesOf);
  if (name === 'shardRange') return [rangeOf(args)];
  throw new Error(`unsupported function ${quote(name)}; only shardRange() and || are allowed`);
}

function rangeOf(args: readonly Expression[]): ShardRange {
  const [path, from, to, ...more] = args;
  if (path === undefined || from === undefined || to === undefined || more.length > 0)
    throw new Error(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  const written = pathOf(path);
  const field = FIELDS.find((each) => each === written);
  if (field === undefined)
    throw new Error(`unsupported field path ${quote(written)}; supported: ${FIELDS.join(', ')}`);
  const [start, end] = [hexOf(from, 'hexStart'), hexOf(to, 'hexEnd')];
  if (!hexLess(start, end)) throw new Error(`shard range start ${start} must be less than end ${end}`);
  return { field, start, end };
}

function pathOf(expression: Expression): string {
  const fields: string[] = [];
  let root = expression;
  for (; root.kind === 7; root = root.operand) fields.push(root.field);
  if (root.kind === 3) return [root.name, ...fields.reverse()].join('.');
  throw new Error(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${root.kind}`,
  );
}

const TWO_TO_THE_64TH = '0x10000000000000000';

function hexOf(expression: Expression, name: string): string {
  const must = `${name} must be a string literal`;
  if (expression.kind !== 5) throw new Error(`${must} (e.g. '0xff'), got expression kind ${expression.kind}`);
  if (expression.go !== 'string') throw new Error(`${must}, got ${expression.go}`);
  const { text } = expression;
  if (!text.startsWith('0x')) throw new Error(`${name} must have '0x' prefix, got ${quote(text)}`);
  const digits = text.slice(2);
  if (digits === '') throw new Error(`${name}: hex value is required after '0x'`);
  const bytes = Buffer.byteLength(digits);
  if (bytes > 17) throw new Error(`${name}: hex value too long (${bytes} chars, max 17): ${quote(digits)}`);
  const [invalid] = /[^0-9a-f]/u.exec(digits) ?? [];
  if (invalid !== undefined)
    throw new Error(`${name}: invalid hex character ${quote(invalid)} in ${quote(text)}`);
  if (digits.length === 16 || text === TWO_TO_THE_64TH) return text;
  if (digits.length === 17)
    throw new Error(`${name}: 17-digit hex value must be '${TWO_TO_THE_64TH}' (2^64), got ${quote(text)}`);
  const meant = quote(`0x${digits.padStart(16, '0')}`);
  throw new Error(
    `${name} must be a 0x-prefixed 16-digit hex value, got ${quote(text)} (did you mean ${meant}?)`,
  );
}

/** By the number, for texts without spare zeros. */
const hexLess = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);
