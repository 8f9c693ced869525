import { parseStored } from './parsestored.js';
import type { JsonValue } from '../../../api/resource.js';
import { quoteGo } from '../quote.js';
import { countUpTo } from './depth.js';
import { wellFormed } from './gostring.js';
import { endOfString } from '../../../api/exactjson.js';

/** The maximum number of strict findings, as in Kubernetes (`sigs.k8s.io/json`). */
const MAX_FINDINGS = 100;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Whether one of the characters occurs more than `limit` times outside of strings. This takes a fraction of the time
 * of parsing. Exact for every text up to its first syntax error.
 */
export function hasMoreThan(source: string, limit: number, signs: readonly string[]): boolean {
  return signs.some((sign) => {
    if (countUpTo(source, sign, limit) <= limit) return false;
    const code = sign.charCodeAt(0);
    return countsMoreThan(source, limit, (each) => each === code);
  });
}

/** Whether a text has more members and items than `limit`: its commas, and the lists and objects that are not empty. */
export function hasMoreValuesThan(source: string, limit: number): boolean {
  const most = ',[{'.split('').reduce((sum, sign) => sum + countUpTo(source, sign, limit), 0);
  if (most <= limit) return false;
  return countsMoreThan(source, limit, (code, at) => {
    if (code === COMMA) return true;
    if (code !== BRACKET && code !== BRACE) return false;
    // The closing sign is two after the opening one.
    return source.charCodeAt(skipSpace(source, at + 1)) !== code + 2;
  });
}

function countsMoreThan(
  source: string,
  limit: number,
  counts: (code: number, at: number) => boolean,
): boolean {
  let count = 0;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (code === QUOTE) i = endOfString(source, i);
    else if (counts(code, i) && ++count > limit) return true;
  }
  return false;
}

/**
 * Returns `duplicate field "spec.a[0].b"` for each duplicate member, in the order of the text. `value` is the parsed
 * `source`; if it has as many members as the text has names, there are no duplicates.
 */
export function findDuplicates(source: string, value: JsonValue): string[] {
  return membersOfText(source) === membersOfValue(value) ? [] : findAll(source, new Set());
}

/**
 * Returns unknown and duplicate fields of a valid text, in its order. `unknown` are paths (`spec.a[0].b`); other
 * findings at or below an unknown field are omitted.
 */
export function findAll(source: string, unknown: ReadonlySet<string>): string[] {
  const findings = new Set<string>();
  scanValue(source, skipSpace(source, 0), '', { unknown, findings });
  return [...findings].slice(0, MAX_FINDINGS);
}

interface Scan {
  readonly unknown: ReadonlySet<string>;
  readonly findings: Set<string>;
}

function membersOfText(source: string): number {
  let count = 0;
  for (let at = source.indexOf('"'); at !== -1;) {
    const end = endOfString(source, at);
    if (source.charCodeAt(skipSpace(source, end + 1)) === 0x3a) count++;
    at = source.indexOf('"', end + 1);
  }
  return count;
}

function membersOfValue(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += membersOfValue(item);
    return count;
  }
  for (const name of Object.keys(value)) count += 1 + membersOfValue(value[name] ?? null);
  return count;
}

/** Reads the valid value at `at` and returns its end. */
function scanValue(source: string, at: number, path: string, scan: Scan | undefined): number {
  switch (source[at]) {
    case '{':
      return scanObject(source, at, path, scan);
    case '[':
      return scanList(source, at, path, scan);
    case '"':
      return endOfString(source, at) + 1;
    default:
      return endOfLiteral(source, at);
  }
}

function scanObject(source: string, start: number, path: string, scan: Scan | undefined): number {
  const seen = new Map<string, number>();
  let at = skipSpace(source, start + 1);
  while (source[at] === '"') {
    const end = endOfString(source, at);
    const name = scan === undefined ? '' : nameIn(source, at, end);
    const memberPath = path === '' ? name : `${path}.${name}`;
    const isUnknown = scan === undefined || (scan.unknown.size > 0 && scan.unknown.has(memberPath));
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    // Each path is reported once.
    if (scan !== undefined && before === (isUnknown ? 0 : 1) && scan.findings.size < MAX_FINDINGS)
      scan.findings.add(`${isUnknown ? 'unknown' : 'duplicate'} field ${quoteGo(memberPath)}`);
    at = skipSpace(source, skipSpace(source, end + 1) + 1);
    at = skipSpace(source, scanValue(source, at, memberPath, isUnknown ? undefined : scan));
    if (source[at] === ',') at = skipSpace(source, at + 1);
  }
  return at + 1;
}

function nameIn(source: string, start: number, end: number): string {
  const text = source.slice(start + 1, end);
  return wellFormed(text.includes('\\') ? parseStored<string>(`"${text}"`) : text);
}

function scanList(source: string, start: number, path: string, scan: Scan | undefined): number {
  let at = skipSpace(source, start + 1);
  for (let index = 0; source[at] !== ']'; index++) {
    at = skipSpace(source, scanValue(source, at, `${path}[${index}]`, scan));
    if (source[at] === ',') at = skipSpace(source, at + 1);
  }
  return at + 1;
}

const LITERAL = /[^\s,\]}]*/y;

function endOfLiteral(source: string, start: number): number {
  LITERAL.lastIndex = start;
  LITERAL.test(source);
  return LITERAL.lastIndex;
}

function skipSpace(source: string, start: number): number {
  let at = start;
  for (let code = source.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;) {
    code = source.charCodeAt(++at);
  }
  return at;
}
