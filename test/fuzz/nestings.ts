/** Random nestings in every form that YAML and JSON have, some far deeper than any parser's stack. */

/** Numbers in [0, 1) that a seed repeats (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;

/** What opens a level, and what closes it where it has an end. */
type Form = readonly [open: string, close: string];

const FLOW: readonly Form[] = [
  ['[', ']'],
  ['{a: ', '}'],
  ['{"a":', '}'],
  ['[a: ', ']'],
  ['{? ', '}'],
  ['[? ', ': 1]'],
  ['{[', ']: 1}'],
  ['[ # [\n ', ']'],
  ['!t [', ']'],
  ['&a [', ']'],
  ['!!map {"}": ', '}'],
  ["{']': ", '}'],
  ['[1,\n   ', ' ,]'],
  ['{\t', '}'],
  ['[*a, ', ']'],
];
const BLOCK: readonly Form[] = [
  ['- ', ''],
  ['? ', ''],
  [': ', ''],
  ['a: ', ''],
  ['"a": ', ''],
  ["'a' : ", ''],
  ['- !t ', ''],
  ['- &a ', ''],
  ['- ? ', ''],
  ['-\t', ''],
  ['? - a: ', ''],
  ['- # -\n   ', ''],
  ['*a : ', ''],
  ['!!seq - ', ''],
  ['<<: ', ''],
];
const JSON_FORMS: readonly Form[] = [
  ['[', ']'],
  ['{"a":', '}'],
  ['[0,', ']'],
  ['{"]":"[","b":', '}'],
  ['[\n', '\r]'],
];
const BEFORE = [
  '',
  '',
  '',
  '---\n',
  '\ufeff',
  '%YAML 1.1\n---\n',
  '# [\n',
  'x: |\n  [[[\n  {{{\n',
  "x: '[[{{'\n",
  '...\n',
];
const AFTER = ['', '', '', '\n', '\n---\n[', '\n...\n', ' # ]\n', '\r', '\n\t', '"', "'", ': ', ' |\n  [['];

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

/** Mostly shallow, sometimes about the bound, and once in a thousand far beyond it. */
function depthOf(random: Random): number {
  const share = random();
  if (share < 0.99) return Math.floor(random() * 16);
  if (share < 0.999) return 380 + Math.floor(random() * 40);
  return share < 0.9999 ? 3000 + Math.floor(random() * 6000) : 30_000 + Math.floor(random() * 70_000);
}

/** One text. A quarter is JSON; the rest is one form of YAML repeated, or a mixture. */
export function nesting(random: Random): string {
  const depth = depthOf(random);
  const share = random();
  if (share < 0.25) return levels(random, depth, JSON_FORMS, '1');
  const text =
    share < 0.4
      ? indented(random, Math.min(depth, 450))
      : levels(
          random,
          depth,
          share < 0.6 ? FLOW : share < 0.8 ? BLOCK : [...FLOW, ...BLOCK],
          pick(random, ['', '1', '*a', '"']),
        );
  return `${pick(random, BEFORE)}${random() < 0.5 ? 'x: ' : ''}${text}${pick(random, AFTER)}`;
}

function levels(random: Random, depth: number, forms: readonly Form[], inmost: string): string {
  const used = random() < 0.5 ? [pick(random, forms)] : forms;
  const open: string[] = [];
  const close: string[] = [];
  for (let level = 0; level < depth; level++) {
    const [begin, end] = pick(random, used);
    open.push(begin);
    close.push(end);
  }
  const closed = random() < 0.7 ? close.reverse().join('') : '';
  return `${open.join('')}${inmost}${closed}`;
}

/** A level on each line, sometimes with what comes back from it. */
function indented(random: Random, depth: number): string {
  const starts = random() < 0.5 ? [pick(random, INDENTED)] : INDENTED;
  const lines: string[] = [];
  for (let level = 0; level < depth; level++) {
    lines.push(`${' '.repeat(level)}${pick(random, starts)}`);
    if (random() < 0.02) lines.push(`${' '.repeat(Math.floor(random() * level))}${pick(random, starts)}`);
  }
  return `\n${lines.join(random() < 0.9 ? '\n' : '\r\n')}`;
}

const INDENTED = [
  'a:',
  '-',
  '?',
  'a: b:',
  '- a:',
  '? a:',
  '"a":',
  '[',
  '{',
  '!t',
  '&a',
  '# [',
  '- - -',
  'a: |',
  "'",
];
