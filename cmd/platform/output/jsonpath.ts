/** `-o jsonpath=…` as kubectl has it, without filters: text, and in braces paths, and ranges over lists. */
import { isObject, listOf } from '../../../pkg/apimachinery/encoding/members.js';
import { usage } from '../failure.js';

const PREFIX = 'jsonpath=';
/** `.name`, `['name']`, `[0]`, `[*]`, `.*` */
const STEP = /^(?:\.([\w-]+|\*)|\['([^']*)'\]|\["([^"]*)"\]|\[(-?\d+|\*)\])/;
const KNOWN = "{.a.b}, {.a['b.c']}, {.list[0]}, {.list[*]} and {range .list[*]}{.name}{end}";

/** Of a template: text, a path, or what is repeated for each value that a path leads to. */
type Part = string | { readonly path: string; readonly each?: readonly Part[] };

/** The template of `-o jsonpath=TEMPLATE`; undefined for every other format. */
export const templateOf = (format: string | undefined): string | undefined =>
  format?.startsWith(PREFIX) === true ? format.slice(PREFIX.length) : undefined;

/** The template with what its paths lead to; what leads nowhere is nothing. Throws Failure, usage. */
export function fillTemplate(template: string, object: unknown): string {
  const bare = template.includes('{') ? template : `{${template}}`;
  if (/\{[^}]*(\{|$)/.test(bare)) throw usage(`-o jsonpath: a { without its } in ${template}`);
  return filled(parse(bare), object, object);
}

/** Throws Failure, usage. */
function parse(template: string): readonly Part[] {
  const open: Part[][] = [[]];
  for (const [at, text] of template.split(/\{([^{}]*)\}/).entries()) {
    const inner = text.trim();
    const [, range] = /^range\s+(.*)$/.exec(inner) ?? [];
    if (at % 2 === 0) open.at(-1)?.push(text);
    else if (range !== undefined) {
      const each: Part[] = [];
      open.at(-1)?.push({ path: range, each });
      open.push(each);
    } else if (inner !== 'end') open.at(-1)?.push(literalOf(inner) ?? { path: inner });
    else if (open.length > 1) open.pop();
    else throw usage('-o jsonpath: an {end} without its {range}');
  }
  if (open.length > 1) throw usage('-o jsonpath: a {range} without its {end}');
  return open[0] ?? [];
}

/** `"\n"` */
function literalOf(inner: string): string | undefined {
  const [, literal] = /^"((?:[^"\\]|\\[nt"\\])*)"$/.exec(inner) ?? [];
  return literal === undefined ? undefined : String(JSON.parse(`"${literal}"`));
}

const filled = (parts: readonly Part[], value: unknown, root: unknown): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const values = found(part.path, part.path.startsWith('$') ? root : value);
      const { each } = part;
      if (each === undefined) return values.map(shown).join(' ');
      return values.map((one) => filled(each, one, root)).join('');
    })
    .join('');

/** Paths begin at the whole object with `$`, and within a range at its value, with `@` or without. */
function found(path: string, from: unknown): unknown[] {
  let rest = path.replace(/^[$@]/, '');
  if (rest !== '' && !/^[.[]/.test(rest)) rest = `.${rest}`;
  if (rest === '.') return [from];
  let values: unknown[] = [from];
  while (rest !== '') {
    const step = STEP.exec(rest);
    if (step === null) throw usage(`-o jsonpath knows ${KNOWN}, and not {${path}}`);
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
