import type { Command } from 'commander';
import type { Verb } from '../cli.js';
import { usage } from '../failure.js';

/** Scripts that ask `platform __complete WORD...` for what may follow; the last word is the one being written. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_platform() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(platform __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _platform platform
`,
  zsh: `#compdef platform
_platform() {
  local -a found
  found=(\${(f)"$(platform __complete "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)"})
  compadd -a found || _files
}
compdef _platform platform
`,
  fish: `function __platform_found
  set -l found (platform __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
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
export const completion: Verb = (program, { write }) => {
  program
    .command('completion <shell>')
    .description('Print the completion of commands and options for bash, zsh or fish.')
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
    .action((words: string[]) =>
      write(
        candidates(program, words)
          .map((word) => `${word}\n`)
          .join(''),
      ),
    );
};

/** Commands, or options where one is being written, that may stand for the last of `words`. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  let command = program;
  for (const word of words.slice(0, -1)) {
    command = command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command;
  }
  const offered = current.startsWith('-')
    ? [...command.options, ...program.options].flatMap(({ long }) => long ?? [])
    : command
        .createHelp()
        .visibleCommands(command)
        .map((one) => one.name());
  return [...new Set(offered)].filter((word) => word.startsWith(current));
}
