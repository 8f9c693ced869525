/** The tokens of CEL (`github.com/google/cel-go/parser/gen/CEL.g4`). */
/** `go`: the Go type of a literal, as errors name it; `string` has its value in `text`, without quotes and escapes. */
export type Token =
  | { readonly kind: 'literal'; readonly go: string; readonly text: string }
  | { readonly kind: 'name'; readonly text: string }
  /** Between backquotes: the name of a field only. */
  | { readonly kind: 'field'; readonly text: string }
  /** An operator, a delimiter or the keyword `in`; `''` at the end. */
  | { readonly kind: 'symbol'; readonly text: string };

export const syntaxError = (message: string): Error => new Error(`CEL parse error: Syntax error: ${message}`);

const BLANK = /(?:[\t\n\f\r ]+|\/\/[^\n]*)*/y;
const TOKEN = new RegExp(
  [
    '([bB]?)(?:[rR]("""[^]*?"""|\'\'\'[^]*?\'\'\'|"[^"\\n\\r]*"|\'[^\'\\n\\r]*\')',
    '|("""(?:\\\\[^]|[^\\\\])*?"""|\'\'\'(?:\\\\[^]|[^\\\\])*?\'\'\'|"(?:\\\\.|[^\\\\"\\n\\r])*"|\'(?:\\\\.|[^\\\\\'\\n\\r])*\'))',
    '|(\\d*\\.\\d+(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+)|((?:0x[0-9a-fA-F]+|\\d+)[uU]?)',
    '|`([\\w.\\-/ ]+)`|([A-Za-z_]\\w*)|(\\|\\||&&|[<>=!]=|[<>!.,?:()[\\]{}+\\-*/%])',
  ].join(''),
  'y',
);
const KEYWORDS: Readonly<Record<string, string>> = {
  true: 'bool',
  false: 'bool',
  null: 'structpb.NullValue',
};

/** With a symbol `''` as the last. Throws the error of a text that has other characters. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  for (;;) {
    BLANK.lastIndex = at;
    at += BLANK.exec(text)?.[0].length ?? 0;
    if (at === text.length) break;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) throw syntaxError(`token recognition error at: '${text.slice(at, at + 2)}'`);
    found.push(tokenOf(match));
    at += match[0].length;
  }
  found.push({ kind: 'symbol', text: '' });
  return found;
}

function tokenOf([all, bytes, raw, quoted, float, integer, field, name]: RegExpExecArray): Token {
  const inside = raw ?? quoted;
  if (inside !== undefined) {
    const quotes = /^("""|''')/.test(inside) ? 3 : 1;
    const content = inside.slice(quotes, -quotes);
    const text = raw === undefined ? unescaped(content) : content;
    return { kind: 'literal', go: bytes === '' ? 'string' : '[]uint8', text };
  }
  if (float !== undefined) return { kind: 'literal', go: 'float64', text: float };
  if (integer !== undefined)
    return { kind: 'literal', go: /u$/i.test(integer) ? 'uint64' : 'int64', text: integer };
  if (field !== undefined) return { kind: 'field', text: field };
  if (name === undefined || name === 'in') return { kind: 'symbol', text: all };
  const go = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
  return go === undefined ? { kind: 'name', text: name } : { kind: 'literal', go, text: name };
}

const ESCAPE = /\\([xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7]{2}|[^])/g;
const ESCAPED = new Map(
  ['\\\\', "''", '""', '``', '??', 'a\x07', 'b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v'].map(
    ([written, meant]) => [written, meant],
  ),
);
const LAST_CODE_POINT = 0x10ffff;

const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_all, escape: string) => characterOf(escape));

function characterOf(escape: string): string {
  const code = /^\d/.test(escape) ? Number.parseInt(escape, 8) : Number.parseInt(escape.slice(1), 16);
  if (escape.length > 1 && code <= LAST_CODE_POINT) return String.fromCodePoint(code);
  const character = ESCAPED.get(escape);
  if (character === undefined) throw syntaxError(`token recognition error at: '\\${escape}'`);
  return character;
}
