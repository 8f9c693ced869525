import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../../api/resource.js';
import type { Cli, Verb } from '../cli.js';
import { readConfig } from '../files/config.js';
import { placeOf } from '../kinds.js';
import { NOUNS, type Noun } from '../nouns.js';
import { nameOf } from '../output/output.js';
import { usage } from '../failure.js';
import { PROJECT_PARTS, type ProjectPart } from './projectparts/parts.js';
import { QUOTA_WORDS } from './projectparts/quotas.js';
import { entriesIn } from './projectparts/show.js';
import { TOKENS } from './tokenrecords.js';

/** Scripts that ask `platform __complete -- WORD...` for what may follow; the last word is the one being written. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_platform() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(platform __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _platform platform
`,
  zsh: `#compdef platform
_platform() {
  local -a found
  found=(\${(f)"$(platform __complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"})
  compadd -a found || _files
}
compdef _platform platform
`,
  fish: `function __platform_found
  set -l found (platform __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c platform -f -a '(__platform_found)'
`,
};

const HELP = `
Load it in this shell, and in all later ones:
  bash   source <(platform completion bash)      in ~/.bashrc
  zsh    source <(platform completion zsh)       in ~/.zshrc, after compinit
  fish   platform completion fish > ~/.config/fish/completions/platform.fish
`;

/** `platform completion bash|zsh|fish`. */
export const completion: Verb = (program, cli) => {
  const { write } = cli;
  program
    .command('completion <shell>')
    .description('Print the shell completion script for bash, zsh or fish.')
    .addHelpText('after', HELP)
    .action((shell: string) => {
      const script = SCRIPTS[shell];
      if (script === undefined) throw usage(`there is completion for ${Object.keys(SCRIPTS).join(', ')}`);
      write(script);
    });
  program
    .command('__complete [words...]', { hidden: true })
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => {
      for (const option of ['context', 'kubeconfig'])
        program.setOptionValue(option, valueAfter(words, `--${option}`) || program.getOptionValue(option));
      const found = [...candidates(program, words), ...(await namesFor(cli, program, words))];
      write(found.map((word) => `${word}\n`).join(''));
    });
};

/** Of objects, for commands that want one's name; of logins, for `--context`. Nothing where the server does not say in time. */
async function namesFor(cli: Cli, program: Command, words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const command = commandOf(program, words);
  try {
    const isContext = command.name() === 'use' && command.parent?.name() === 'context';
    if (words.at(-2) === '--context' || isContext)
      return startingWith(Object.keys((await readConfig(cli.env)).contexts), current);
    if (current.startsWith('-')) return [];
    const late = sleep(NAMES_TIMEOUT_MS, [], { ref: false });
    return startingWith(await Promise.race([namesFrom(cli, command, words), late]), current);
  } catch {
    return [];
  }
}

/** Options whose value is the name of an object. */
const NAMING: Readonly<Record<string, string>> = {
  '--project': 'project',
  '--to': 'project',
  '--user': 'user',
  '--team': 'team',
  '--cluster': 'cluster',
};

function namesFrom(cli: Cli, command: Command, words: readonly string[]): Promise<string[]> {
  const named = NAMING[words.at(-2) ?? ''];
  const option = NOUNS.find(({ word }) => word === named);
  if (option !== undefined) return namesOf(cli, option, words);
  if (!takesName(command)) return Promise.resolve([]);
  if (command.parent?.name() === 'set' && command.name() === 'quota') return Promise.resolve(QUOTA_WORDS);
  const part = PROJECT_PARTS.find(({ word }) => word === command.name());
  if (part !== undefined) return namesOfPart(cli, part, words);
  const noun = nounOf(command);
  return noun === undefined ? Promise.resolve([]) : namesOf(cli, noun, words);
}

async function namesOfPart(cli: Cli, part: ProjectPart, words: readonly string[]): Promise<string[]> {
  const project = valueAfter(words, '--project');
  if (project === undefined) return [];
  return (await entriesIn(await cli.connect(), part, project)).map(({ name }) => name).filter(isPlain);
}

/** Words that shells do not split. */
const isPlain = (name: string): boolean => /^[\w.:-]+$/.test(name);

const valueAfter = (words: readonly string[], ...flags: string[]): string | undefined =>
  words[words.findIndex((word) => flags.includes(word)) + 1 || words.length];

function nounOf(command: Command): Pick<Noun, 'plural' | 'within'> | undefined {
  if (command.name() === 'revoke') return { plural: TOKENS.resource, within: 'cluster' };
  return NOUNS.find(({ word }) => word === command.name());
}

const NAMES_TIMEOUT_MS = 2_000;
const MAKERS = ['create', 'connect', 'import', 'add'];

const takesName = (command: Command): boolean =>
  command.registeredArguments.length > 0 && !MAKERS.includes(command.parent?.name() ?? '');

async function namesOf(
  cli: Cli,
  noun: Pick<Noun, 'plural' | 'within'>,
  words: readonly string[],
): Promise<string[]> {
  const [project, namespace] = [valueAfter(words, '--project'), valueAfter(words, '-n', '--namespace')];
  const client = await cli.connect();
  const place = await placeOf(client, noun, {
    ...(project !== undefined && { project }),
    ...(namespace !== undefined && { namespace }),
  });
  const { items } = await client.get<{ items: KubeObject[] }>({ ...place, query: `limit=${MAX_NAMES}` });
  return items.map(nameOf).filter(isPlain);
}

const MAX_NAMES = 500;

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words.slice(0, -1))
    command = command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command;
  return command;
}

const startingWith = (words: readonly string[], current: string): string[] =>
  words.filter((word) => word.startsWith(current));

/** The formats of `-o`, as the help of the command lists them. */
function formatsOf(command: Command): string[] {
  const output = command.options.find(({ long }) => long === '--output');
  const words = output?.description.match(/[a-z]+(=\S*)?/g) ?? [];
  return words.filter((word) => word !== 'or').map((word) => word.replace(/=.*/, '='));
}

/** Commands, or options where one is being written, that may stand for the last of `words`. */
function candidates(program: Command, words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const command = commandOf(program, words);
  const before = words.at(-2) ?? '';
  if (['-o', '--output'].includes(before)) return startingWith(formatsOf(command), current);
  const options = [...command.options, ...program.options];
  const option = options.find(({ short, long, required }) => required && [short, long].includes(before));
  if (option !== undefined) return startingWith(option.argChoices ?? [], current);
  const offered = current.startsWith('-')
    ? options.flatMap(({ long }) => long ?? [])
    : command
        .createHelp()
        .visibleCommands(command)
        .map((one) => one.name());
  return startingWith([...new Set(offered)], current);
}
