// Commands of `platform`, as its help shows them.
import { platformCommand } from '../../dist/cmd/platform/program.js';
import { page, plain } from './markdown.mjs';

const WIDTH = 100;

/** Commands that do something themselves, with the words that call them. */
function leaves(command, words) {
  const below = command.commands.filter((one) => one._hidden !== true);
  if (below.length === 0) return [{ command, words }];
  return below.flatMap((one) => leaves(one, [...words, one.name()]));
}

function helpOf(command) {
  const written = [];
  command.configureOutput({ writeOut: (text) => written.push(text), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return written.join('').trim();
}

export function commands() {
  const terminal = { shown: false, tell: () => undefined };
  const program = platformCommand({ env: {}, terminal, write: () => undefined });
  const sections = leaves(program, ['platform']).flatMap(({ command, words }) => {
    const help = helpOf(command).replace(`${command.description()}\n\n`, '');
    return [`## ${words.join(' ')}`, plain(command.description()), `\`\`\`text\n${help}\n\`\`\``];
  });
  return page(
    'Commands of platform',
    `Every command has \`--help\`, which prints what is here. [The command line client](../platform.md) explains how it logs in, and
what scripts can rely on. These options come before the command:`,
    `\`\`\`text\n${helpOf(program)
      .split('\n\n')
      .find((part) => part.startsWith('Options:'))}\n\`\`\``,
    ...sections,
  );
}
