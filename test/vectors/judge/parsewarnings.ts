/** Parses `Warning` headers like clients (RFC 7234 section 5.5; `k8s.io/apimachinery/pkg/util/net`). */

export interface Warning {
  /** 100 to 299. */
  readonly code: number;
  readonly agent: string;
  readonly text: string;
}

/** All warnings of all values of the header, in order. An invalid value counts up to its fault. */
export function parseWarningHeaders(values: readonly string[]): { warnings: Warning[]; errors: string[] } {
  const warnings: Warning[] = [];
  const errors: string[] = [];
  for (const value of values) {
    try {
      for (let rest = value; rest.length > 0;) {
        const read = readWarning(rest.trim());
        warnings.push(read.warning);
        rest = read.rest;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      errors.push(`invalid warning header: ${error.message}`);
    }
  }
  return { warnings, errors };
}

function readWarning(value: string): { warning: Warning; rest: string } {
  const [, code, agent, quoted] = /^([^ ]*) ([^ ]*) (.*)$/s.exec(value) ?? [];
  if (code === undefined || agent === undefined || quoted === undefined)
    throw new RangeError('fewer than 3 segments');
  if (!/^[12][0-9]{2}$/.test(code)) throw new RangeError('code segment is not 3 digits between 100-299');
  if (agent === '') throw new RangeError('empty agent segment');
  if (/["\\\p{Cc}]/u.test(agent)) throw new RangeError('invalid agent');
  if (quoted === '') throw new RangeError('empty text segment');
  const { text, rest } = readQuoted(quoted);
  if (/\p{Cc}/u.test(text)) throw new RangeError('invalid text');
  return { warning: { code: Number(code), agent, text }, rest: afterDate(rest) };
}

function readQuoted(quoted: string): { text: string; rest: string } {
  if (!quoted.startsWith('"')) throw new RangeError('invalid quoted string: missing initial quote');
  const [whole, text] = /^"((?:[^"\\]|\\.)*)"/s.exec(quoted) ?? [];
  if (whole === undefined || text === undefined)
    throw new RangeError('invalid quoted string: missing closing quote');
  return { text: text.replace(/\\(.)/gs, '$1'), rest: quoted.slice(whole.length).trim() };
}

/** The rest after a warning: an optional date, then a comma before the next warning. */
function afterDate(after: string): string {
  let rest = after;
  if (rest.startsWith('"')) {
    const end = rest.indexOf('"', 1);
    if (end < 0) throw new RangeError('unterminated date segment');
    rest = rest.slice(end + 1).trim();
  }
  if (rest === '') return '';
  if (!rest.startsWith(',')) throw new RangeError('unexpected token after warn-date');
  return rest.slice(1).trim();
}
