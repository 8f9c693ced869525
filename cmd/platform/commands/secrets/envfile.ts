/** Files of variables, as `.env` files have them, `get -o env` prints them and jq's `@sh` quotes them. */
import { usage } from '../../failure.js';

/**
 * NAME=, then one of: parts in single quotes, between which stands a quote or a backslash as shells and their quoting
 * functions write them; text in double quotes; the rest of the line. A comment may follow quotes.
 */
const VARIABLE =
  /[ \t]*(?:export[ \t]+)?([\w.-]+)=(?:[ \t]*(?:('[^']*'(?:(?:\\['\\]|"'")'[^']*')*)|"([^"\\]*(?:\\[^][^"\\]*)*)")[ \t]*(?:(?<=[ \t])#[^\n]*?)?|([^\n]*?))\r?(?:\n|$)/y;
const BLANK = /[ \t]*(?:#[^\n]*?)?\r?(?:\n|$)/y;

const QUOTE_IT = `write it in single quotes, NAME='value', and a ' of it as '\\''`;

export interface EnvFile {
  readonly entries: Readonly<Record<string, Buffer>>;
  /** For people: they name lines, and repeat nothing of them. */
  readonly warnings: readonly string[];
}

/**
 * Values are taken as they are written, or not at all: no variable is expanded, and what programs read in different ways
 * is refused. Throws Failure, usage, which names the line and repeats nothing of it; also for a file without variables.
 */
export function parseEnvFile(bytes: Buffer, path: string): EnvFile {
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes))
    throw usage(`${path} is no text in UTF-8: set a value of other bytes by --from-file`);
  const lines = new Map<string, number>();
  const values: [string, Buffer][] = [];
  const warnings: string[] = [];
  for (const { line, name, value, wrong, unexpanded } of variablesIn(text.replace(/^\uFEFF/, ''))) {
    const twice = lines.get(name);
    const why = wrong ?? (twice === undefined ? undefined : `it has the name of line ${twice}: delete one`);
    if (why !== undefined) throw usage(`${path}, line ${line}: ${why}`);
    lines.set(name, line);
    values.push([name, Buffer.from(value)]);
    if (unexpanded) warnings.push(`${path}, line ${line}: the variable in its value is not expanded`);
  }
  if (values.length === 0)
    throw usage(`${path} has no line NAME=value, so nothing was changed: look at what wrote it`);
  return { entries: Object.fromEntries(values), warnings };
}

interface Value {
  readonly value: string;
  /** Why it is not taken. */
  readonly wrong?: string | undefined;
  /** Whether shells would put a variable in. */
  readonly unexpanded: boolean;
}

function* variablesIn(text: string): Generator<Value & { line: number; name: string }> {
  let line = 1;
  for (let at = 0; at < text.length;) {
    BLANK.lastIndex = VARIABLE.lastIndex = at;
    const variable = BLANK.test(text) ? undefined : VARIABLE.exec(text);
    if (variable === null) {
      const wrong = 'write it as NAME=value, and a value of several lines in single quotes';
      return yield { line, name: '', value: '', wrong, unexpanded: false };
    }
    const [, name = '', single, double, plain = ''] = variable ?? [];
    if (variable !== undefined) yield { line, name, ...valueOf(plain, double, single) };
    const end = Math.max(BLANK.lastIndex, VARIABLE.lastIndex);
    line += text.slice(at, end).split('\n').length - 1;
    at = end;
  }
}

function valueOf(plain: string, double?: string, single?: string): Value {
  if (single !== undefined)
    return { value: single.replace(/'([^']*)'|\\(.)|"(')"/g, '$1$2$3'), unexpanded: false };
  const unexpanded = /(?<!\\)\$\{\w/.test(double ?? plain);
  if (double === undefined) return { value: plain, wrong: ambiguityOf(plain), unexpanded };
  const known = !/\\[^nr"\\$`]/.test(double.replaceAll('\\\\', ''));
  const wrong = known ? undefined : `its double quotes have a backslash that is no \\n, \\r, \\", \\\\, \\$ or \\\`: ${QUOTE_IT}`; // oxfmt-ignore
  const value = double.replace(/\\([^])/g, (_pair, sign: string) => ESCAPED[sign] ?? sign);
  return { value, wrong, unexpanded };
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r' };

/** Why a value without quotes around it may be read in two ways. */
function ambiguityOf(text: string): string | undefined {
  if (/^[^'"`\\]*[ \t]#/.test(text))
    return `what is after # may be a comment or a part of the value: ${QUOTE_IT}, or quote what is before the comment`;
  for (const quote of [`'`, '"'])
    if (text.split(quote).length % 2 === 0) return `the quote ${quote} is not closed: ${QUOTE_IT}`;
  if (/['"`\\]/.test(text)) return `a quote or a backslash may be a part of the value or not: ${QUOTE_IT}`;
  if (/^[ \t]|[ \t]$/.test(text)) return `spaces around the value may be a part of it or not: ${QUOTE_IT}`;
  return undefined;
}
