import type { Command } from 'commander';
import { suggestion } from '../../../pkg/apimachinery/similar.js';
import type { Verb } from '../cli.js';
import { usage } from '../failure.js';

/** `platform help [COMMAND...]`: the same as `platform COMMAND... --help`. */
export const help: Verb = (program) => {
  program
    .command('help [words...]')
    .description('Show the help of a command.')
    .addHelpText('after', '\nExample:\n  platform help create secret\n')
    .action((words: string[]) => commandOf(program, words).outputHelp());
};

/** Throws Failure, usage, where there is no such command. */
function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const below = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    const names = command
      .createHelp()
      .visibleCommands(command)
      .map((one) => one.name());
    if (below === undefined) throw usage(`unknown command '${word}'${suggestion(word, names)}`);
    command = below;
  }
  return command;
}
