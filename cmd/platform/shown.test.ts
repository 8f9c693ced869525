/** Every command of `platform` that the console, the CLI, the server, the charts or the docs show is one that the CLI takes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { platformCommand } from './program.js';
import type { Terminal } from './output/terminal.js';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['cmd', 'pkg', 'deploy', 'docs'];
const SHOWN = /\.(tsx?|ya?ml|txt|md)$/;
/** In quotes, in code, or on a line of its own; up to its end, or a comment of help, which two spaces precede. */
const COMMAND = /(?:["'`>(]|^(?:\$ | *(?=platform \w+ \w)))platform ((?:(?! {2}| #|["'`<)|;&]|$).)+)/gm;
/** What begins like a command and is none. */
const PROSE = /^(on|is) /;

interface Shown {
  readonly at: string;
  readonly words: readonly string[];
}

function shownIn(path: string): Shown[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return [...text.matchAll(COMMAND)]
    .filter(([, rest = '']) => !PROSE.test(rest))
    .map(({ 1: rest = '', index }) => ({
      at: `${path}:${text.slice(0, index).split('\n').length}: platform ${rest}`,
      words: rest.replace(/\\n.*/, '').split(' '),
    }));
}

const program = platformCommand({ env: {}, terminal: {} as Terminal, write: () => undefined });

const named = (command: Command, word: string): Command | undefined =>
  command.commands.find((one) => one.name() === word || one.aliases().includes(word));

const optionsFrom = (command: Command | null): string[] =>
  command === null
    ? ['--help', '-h']
    : [
        ...command.options.flatMap(({ long, short }) => [long ?? '', short ?? '']),
        ...optionsFrom(command.parent),
      ];

const optionsBelow = (command: Command): string[] => [
  ...optionsFrom(command),
  ...command.commands.flatMap((one) => optionsBelow(one)),
];

/** What is wrong with a command; undefined: nothing. */
function faultOf(words: readonly string[]): string | undefined {
  let command = program;
  let known = true;
  for (const word of words) {
    if (word === '--') return undefined;
    const option = /^--?[a-z][\w-]*/.exec(word)?.[0];
    if (option !== undefined && !(known ? optionsFrom(command) : optionsBelow(command)).includes(option))
      return `no option ${option}`;
    if (option !== undefined || !known || command.commands.length === 0) continue;
    // A placeholder (`NOUN`, `${kind}`), or alternatives (`add|remove`).
    const below = named(command, word);
    known = below !== undefined;
    if (below !== undefined) command = below;
    else if (/^[a-z][a-z-]*$/.test(word)) return `no command ${word}`;
  }
  return undefined;
}

const paths = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
)
  .concat('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md')
  .filter((path) => SHOWN.test(path) && !path.endsWith('.test.ts'));

test('is one that the CLI takes', () => {
  const sources = paths.flatMap(shownIn);
  expect(sources.length).toBeGreaterThan(300);
  const wrong = sources.flatMap(({ at, words }) => {
    const fault = faultOf(words);
    return fault === undefined ? [] : [`${at}: ${fault}`];
  });
  expect(wrong).toEqual([]);
});

test('pages of the docs that errors, help and comments name are there', () => {
  const pages = paths.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => page),
  );
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
});

test.each([
  ['platform lits secrets', 'no command lits'],
  ['platform list secretz', 'no command secretz'],
  ['platform get secret db --lines', 'no option --lines'],
  ['platform get NOUN NAME -o yaml', undefined],
  ['platform run --secret db -- ./x --any', undefined],
])('%s: %s', (text, fault) => {
  expect(faultOf(text.split(' ').slice(1))).toBe(fault);
});
