import type { AddHelpTextContext } from 'commander';

/** Of help that is read elsewhere than on a terminal: commander's. */
const USUAL_WIDTH = 80;

/**
 * Examples and notes after the help of a command: paragraphs of one line each are wrapped to the width of the terminal,
 * and lines that are indented, which have commands to copy, are left as they are.
 */
export const helpNotes =
  (text: string) =>
  ({ command }: AddHelpTextContext): string => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? USUAL_WIDTH;
    const help = command.createHelp();
    const wrapped = (line: string): string => (line.startsWith(' ') ? line : help.boxWrap(line, width));
    return text.split('\n').map(wrapped).join('\n');
  };
