/** `-o jsonpath=…` as kubectl has it, without filters and ranges: text, and paths in braces. */
import { isObject, listOf } from '../../../pkg/apimachinery/encoding/members.js';
import { usage } from '../failure.js';

const PREFIX = 'jsonpath=';
/** `.name`, `['name']`, `[0]`, `[*]`, `.*` */
const STEP = /^(?:\.([\w-]+|\*)|\['([^']*)'\]|\["([^"]*)"\]|\[(-?\d+|\*)\])/;

/** The template of `-o jsonpath=TEMPLATE`; undefined for every other format. */
export const templateOf = (format: string | undefined): string | undefined =>
  format?.startsWith(PREFIX) === true ? format.slice(PREFIX.length) : undefined;

/** The template with what its paths lead to; what leads nowhere is nothing. Throws Failure, usage. */
export function fillTemplate(template: string, object: unknown): string {
  const bare = template.includes('{') ? template : `{${template}}`;
  if (/\{[^}]*(\{|$)/.test(bare)) throw usage(`-o jsonpath: a { without its } in ${template}`);
  return bare.replace(/\{([^{}]*)\}/g, (_whole, inner: string) => {
    const literal = /^"((?:[^"\\]|\\[nt"\\])*)"$/.exec(inner.trim());
    if (literal !== null) return String(JSON.parse(`"${literal[1] ?? ''}"`));
    return found(inner.trim(), object).map(shown).join(' ');
  });
}

function found(path: string, object: unknown): unknown[] {
  let rest = path.replace(/^\$/, '');
  if (rest !== '' && !/^[.[]/.test(rest)) rest = `.${rest}`;
  if (rest === '.') return [object];
  let values: unknown[] = [object];
  while (rest !== '') {
    const step = STEP.exec(rest);
    if (step === null)
      throw usage(`-o jsonpath knows {.a.b}, {.a['b.c']}, {.list[0]} and {.list[*]}, and not {${path}}`);
    const [whole, name, quoted, double, index] = step;
    const key = name ?? quoted ?? double ?? index ?? '';
    const all = key === '*' && quoted === undefined && double === undefined;
    values = values.flatMap((value) => (all ? membersOf(value) : memberOf(value, key)));
    rest = rest.slice(whole.length);
  }
  return values;
}

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

function memberOf(value: unknown, key: string): unknown[] {
  if (Array.isArray(value)) {
    const found = listOf(value).at(Number(key));
    return found === undefined ? [] : [found];
  }
  if (!isObject(value) || !Object.hasOwn(value, key)) return [];
  const found = value[key];
  return found === undefined ? [] : [found];
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
