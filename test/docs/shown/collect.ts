/** The commands that the sources, the charts and the docs show to people. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, ROOT, stepsIn } from '../page.js';
import { commandsIn } from './words.js';

export type Program = 'platform' | 'management-apiserver' | 'kubectl' | 'helm';

export interface Shown {
  /** The file and the command, for who looks for it. */
  readonly at: string;
  readonly program: Program;
  /** After the program. */
  readonly words: readonly string[];
}

const FOLDERS = ['cmd', 'pkg', 'deploy', 'docs'];
const FILES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md'];
const WITH_TEXT = /\.(tsx?|ya?ml|txt|tpl|md|service)$/;

/** The program's name begins what they write to files. */
const MARKS = ['format', 'segmentformat'].map((name) => `pkg/storage/backup/${name}.ts`);

const PROGRAMS = 'platform|management-apiserver|kubectl|helm';
/** What begins like a command and is none: a sentence, or a word of a format. */
const PROSE = /^\S+ (?:on|in|is|for|data|finds|does|says|takes|has|can)(?: |$)/;
/** In quotes, after "run" or a colon, or on a line of its own. */
const IN_TEXT = new RegExp(
  String.raw`(?:["'\`“„>(]|: |\b[Rr]un |^[ \t]*(?:#? *\$ |# +|- )?)((?:${PROGRAMS}) (?:(?! {2}|["'\`”<]|$).)+)`,
  'gm',
);
const FENCED = /^( *)```\w*\n([^]*?)^\1```$/gm;
const SPAN = new RegExp(String.raw`\`((?:sudo )?(?:${PROGRAMS})\s[^\`]+)\``, 'g');

function ofPage(page: string): string[] {
  const scripts = blocksOf(page).flatMap(({ language, text, line }) =>
    stepsIn({ language, text, line }).map(({ command }) => command.replace(/<<'?(\w+)'?[^]*?\n\1$/m, '')),
  );
  const rest = page.replaceAll(/^( *)```(?:sh|bash|shell|console)\n[^]*?^\1```$/gm, '');
  const others = [...rest.matchAll(FENCED)].flatMap(([, , text = '']) => ofText(text));
  const spans = [...rest.replaceAll(FENCED, '').matchAll(SPAN)].map(([, span = '']) =>
    span.replaceAll(/\s+/g, ' '),
  );
  return [...scripts, ...others, ...spans];
}

const ofText = (text: string): string[] =>
  [...text.replaceAll(/\$\{[^{}]*\}|\{\{.*?\}\}/g, 'X').matchAll(IN_TEXT)]
    .map(([, snippet = '']) => snippet.replace(/\\n.*/, ''))
    .filter((snippet) => !PROSE.test(snippet));

/** Without comments. */
const codeOf = (source: string): string => source.replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, '');

function snippetsOf(path: string, text: string): string[] {
  if (path.endsWith('.md')) return ofPage(text);
  return ofText(/\.tsx?$/.test(path) ? codeOf(text) : text);
}

export function shownIn(path: string, text: string): Shown[] {
  return snippetsOf(path, text)
    .flatMap(commandsIn)
    .flatMap(([program = '', ...words]) =>
      new RegExp(`^(${PROGRAMS})$`).test(program) && words.length > 0
        ? [{ at: `${path}: ${[program, ...words].join(' ')}`, program: program as Program, words }]
        : [],
    );
}

export const PATHS = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
)
  .concat(FILES)
  .filter((path) => WITH_TEXT.test(path) && !path.endsWith('.test.ts') && !MARKS.includes(path));

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
