/** Pages of the docs: the commands that they show, and which of these no test can run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stepsOf } from '../fixtures/docs/docssteps.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of commands. */
export interface Block {
  /** `console`: commands begin with `$ `, and what they print follows. Else a part of a shell script. */
  readonly language: string;
  readonly text: string;
  /** Of its first fence, from 1. */
  readonly line: number;
  /** What a comment above it says: `<!-- not run: REASON -->`, or `<!-- not run (FIRST WORDS, …): REASON -->` for some of its commands. */
  readonly notRun?: { readonly commands: readonly string[]; readonly reason: string };
}

export interface Step {
  readonly command: string;
  /** What it prints; undefined where the page does not say. */
  readonly output?: string;
}

const MARK = /^ *<!-- not run(?: \(([^)]+)\))?: (.+) -->$/;
const FENCE = /^( *)```(\w*)$/;
const COMMANDS = ['sh', 'bash', 'shell', 'console'];

/** All, by their paths in the repository. */
export const PAGES: readonly string[] = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('docs', name))
  .filter((name) => name.endsWith('.md'))
  .concat('README.md')
  .sort();

/** The text of a page, by its path in the repository. */
export const readPage = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8');

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  let notRun: Block['notRun'];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const mark = MARK.exec(line);
    if (mark !== null) notRun = { commands: mark[1]?.split(', ') ?? [], reason: mark[2] ?? '' };
    const [, indent, language = ''] = FENCE.exec(line) ?? [];
    if (indent !== undefined) {
      const end = lines.indexOf(`${indent}\`\`\``, at + 1);
      const inside = lines.slice(at + 1, end).map((one) => one.slice(indent.length));
      const block = { language, text: `${inside.join('\n')}\n`, line: at + 1 };
      if (COMMANDS.includes(language) && stepsIn(block).length > 0)
        blocks.push({ ...block, ...(notRun !== undefined && { notRun }) });
      at = end;
    }
    if (mark === null && line.trim() !== '') notRun = undefined;
  }
  return blocks;
}

/** What is run of a block: nothing, where all of it is marked. Throws where the mark names a command that it does not have. */
export function stepsIn({ language, text, line, notRun }: Block): Step[] {
  if (notRun !== undefined && notRun.commands.length === 0) return [];
  const firstWords = notRun?.commands ?? [];
  const steps =
    language === 'console'
      ? stepsOf(`\`\`\`console\n${text}\`\`\`\n`)
      : commandsOf(text).map((command) => ({ command }));
  const marked = (words: string): boolean => steps.some(({ command }) => command.startsWith(words));
  const absent = firstWords.find((words) => !marked(words));
  if (absent !== undefined) throw new Error(`line ${line}: no command of the block begins with "${absent}"`);
  return steps.filter(({ command }) => !firstWords.some((words) => command.startsWith(words)));
}

/** The commands of a script, with their here-documents; a line that is indented or follows a `\` belongs to the one before. */
function commandsOf(script: string): string[] {
  const commands: string[] = [];
  let until: string | undefined;
  let continued = false;
  for (const line of script.trimEnd().split('\n')) {
    const belongs = until !== undefined || continued || line.startsWith(' ');
    if (belongs) commands[commands.length - 1] += `\n${line}`;
    else if (line !== '') commands.push(line);
    if (until === undefined) until = /<<'?(\w+)'?/.exec(line)?.[1];
    else if (line === until) until = undefined;
    continued = line.endsWith('\\');
  }
  return commands;
}

const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/, String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`],
  [/\d{8}T\d{6}Z/, String.raw`\d{8}T\d{6}Z`],
  [/\b[0-9a-f]{64}\b/, '[0-9a-f]{64}'],
  [/\b[0-9a-f]{16}\b/, '[0-9a-f]{16}'],
  [/\b\d+s\b/, String.raw`\d+[smh]\S*`],
  [/\d+/, String.raw`\d+`],
  [/ {2,}/, ' +'],
  [/…/, String.raw`[\s\S]*`],
];
const ANY_VARYING = new RegExp(VARYING.map(([{ source }]) => `(?:${source})`).join('|'), 'g');

/** What a page says that a command prints, as a pattern: times, numbers, digests and the width of columns vary, and `…` is any text. */
export function shapeOf(output: string): RegExp {
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  let pattern = '';
  let end = 0;
  for (const found of output.matchAll(ANY_VARYING)) {
    const [text] = found;
    const [, varies = ''] = VARYING.find(([kind]) => new RegExp(`^(?:${kind.source})$`).test(text)) ?? [];
    pattern += literal(output.slice(end, found.index)) + varies;
    end = found.index + text.length;
  }
  return new RegExp(`^${pattern}${literal(output.slice(end))}\\s*$`);
}
