/** What is wrong with a command, as its program has it. */
import { Option, type Command } from 'commander';
import { ADMIN_KEY } from '../../../cmd/apiserver/adminkeys/adminkeycommand.js';
import { BACKUP, RESTORE, STORE } from '../../../cmd/apiserver/backup/commands.js';
import { ENCRYPTION } from '../../../cmd/apiserver/encryption/encryptioncommand.js';
import { FLAGS } from '../../../cmd/apiserver/options/flags/flags.js';
import type { SubcommandTexts } from '../../../cmd/apiserver/options/options.js';
import type { Terminal } from '../../../cmd/platform/output/terminal.js';
import { platformCommand } from '../../../cmd/platform/program.js';
import type { Program } from './collect.js';
import { helpOf } from './helps.js';

type Judge = (words: readonly string[]) => string | undefined;

const optionIn = (word: string): string | undefined => /^\[?(--?[a-z][\w-]*)/.exec(word)?.[1];
/** No placeholder, such as `NOUN` or `…`, and no alternatives. */
const isPlain = (word: string): boolean => /^[a-z][a-z-]*$/.test(word);

const program = platformCommand({ env: {}, terminal: {} as Terminal, write: () => undefined });

const named = (command: Command, word: string): Command | undefined =>
  command.commands.find((one) => one.name() === word || one.aliases().includes(word));

const optionsFrom = (command: Command | null): readonly Option[] =>
  command === null ? [new Option('-h, --help')] : [...command.options, ...optionsFrom(command.parent)];

const optionsBelow = (command: Command): readonly Option[] => [
  ...optionsFrom(command),
  ...command.commands.flatMap((one) => optionsBelow(one)),
];

function ofPlatform(words: readonly string[]): string | undefined {
  let command = program;
  let known = true;
  let isValue = false;
  for (const word of words) {
    if (word === '--') break;
    const name: string | undefined = isValue ? undefined : optionIn(word);
    const wasValue = isValue;
    isValue = false;
    if (name !== undefined) {
      const options = known ? optionsFrom(command) : optionsBelow(command);
      const option: Option | undefined = options.find(({ long, short }) => long === name || short === name);
      if (option === undefined) return `no option ${name}`;
      isValue = option.required && word === name;
    }
    if (name !== undefined || wasValue || !known || command.commands.length === 0) continue;
    const below = named(command, word);
    known = below !== undefined;
    if (below !== undefined) command = below;
    else if (isPlain(word)) return `no command ${word}`;
  }
  // One with options of its own is a command itself, such as `platform token`.
  const isWhole =
    !known || command === program || command.commands.length === 0 || command.options.length > 0;
  return isWhole ? undefined : lacking(command);
}

const lacking = (command: Command): string =>
  `lacks one of ${command.commands.map((one) => one.name()).join(', ')}`;

const SERVER_COMMANDS: readonly SubcommandTexts[] = [ADMIN_KEY, BACKUP, ENCRYPTION, RESTORE, STORE];
const OF_ALL = [
  '--help',
  '-h',
  '--version',
  '--config',
  ...Object.values(FLAGS).map(({ name }) => `--${name}`),
];

function ofServer(words: readonly string[]): string | undefined {
  const [first = '', verb = ''] = words;
  const command = SERVER_COMMANDS.find(({ usage }) => usage.startsWith(`${first} `));
  if (command === undefined && optionIn(first) === undefined) return `no command ${first}`;
  const verbs = (command?.usage ?? '')
    .split('\n')
    .map((line) => / *(?:management-apiserver )?\S+ (\S+)/.exec(line)?.[1] ?? '');
  if (verbs.some(isPlain) && !verbs.includes(verb))
    return `${first} lacks one of ${[...new Set(verbs)].join(', ')}`;
  const options = [...OF_ALL, ...(command?.flags ?? []).map(({ name }) => `--${name}`)];
  const wrong = words.map(optionIn).find((option) => option !== undefined && !options.includes(option));
  return wrong && `no option ${wrong}`;
}

/** Commands that other programs add to kubectl. */
const PLUGINS = new Map<string, Judge>([
  ['platform', ofPlatform],
  ['oidc-login', () => undefined],
]);

function byHelp(name: 'kubectl' | 'helm', words: readonly string[]): string | undefined {
  const path: string[] = [];
  const given: string[] = [];
  let help = helpOf(name, path);
  for (let at = 0; at < words.length && words[at] !== '--'; at++) {
    const word = words[at] ?? '';
    const option = /^--[a-z][\w-]*|^-[a-zA-Z]/.exec(word)?.[0];
    const plugin = name === 'kubectl' && path.length === 0 ? PLUGINS.get(word) : undefined;
    if (plugin !== undefined) return plugin(words.slice(at + 1));
    if (option !== undefined) {
      given.push(option);
      if (option === word && help.options.get(option) === true) at++;
    } else if (help.commands.has(word)) {
      path.push(word);
      help = helpOf(name, path);
    } else if (help.commands.size > 0 && isPlain(word)) return `no command ${word}`;
  }
  const absent = given.find((option) => !help.options.has(option));
  if (absent !== undefined) return `no option ${absent}`;
  const isWhole = help.commands.size === 0 || help.takesFiles || path.length === 0;
  return isWhole ? undefined : `lacks one of ${[...help.commands].join(', ')}`;
}

export const JUDGES: Readonly<Record<Program, Judge>> = {
  platform: ofPlatform,
  'management-apiserver': ofServer,
  kubectl: (words) => byHelp('kubectl', words),
  helm: (words) => byHelp('helm', words),
};
