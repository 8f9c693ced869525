/** The layout of --help, wrapped to the width of the terminal. */
import { Help, type Command } from 'commander';
import { ENVIRONMENT_PREFIX } from './flags/flag.js';

const SOURCES = `Every option can also be set by an environment variable, such as ${ENVIRONMENT_PREFIX}SECURE_PORT=8443, or in the --config file, such as "secure-port: 8443". A flag takes precedence over the environment, and the environment over the file.`;

const HELP_END = `
Examples:
  management-apiserver
  management-apiserver --data-dir data --write-kubeconfig data/admin.kubeconfig

Other commands (each has --help):
  management-apiserver admin-key list|revoke
      Lists and revokes the keys of --write-kubeconfig.
  management-apiserver encryption status|rotate|migrate
      Shows and rotates the keys of encryption at rest.
  management-apiserver backup create|log|verify
      Backs up the store, and logs its changes, while servers run.
  management-apiserver restore
      Restores a backup into an empty store, as it was at a time of its log.
  management-apiserver store copy
      Copies the embedded store to etcd, or back.`;

/** Wraps lines to the terminal, as commander does with the rest. */
export function helpEnd({ command }: { readonly command: Command }): string {
  const help = command.createHelp();
  const { isTTY, columns } = process.stdout;
  return `\n${help.boxWrap(SOURCES, isTTY ? columns : USUAL_WIDTH)}\n${HELP_END}`;
}

const COMMANDER = new Help();

/** Wraps paragraphs of one line each; continuation lines are indented like their line. */
export function boxWrap(text: string, width: number): string {
  const line = (paragraph: string): string => {
    const [indent = ''] = /^ */.exec(paragraph) ?? [];
    const wrapped = COMMANDER.boxWrap(paragraph.slice(indent.length), width - indent.length);
    return indent === '' ? wrapped : wrapped.replace(/^/gm, indent);
  };
  return text.split('\n').map(line).join('\n');
}

/** The width without a terminal, as in commander. */
const USUAL_WIDTH = 80;

const INDENT = '      ';

/** An option with its description on separate lines: names are too long for two columns. */
export function formatItem(term: string, _termWidth: number, description: string, help: Help): string {
  const text = help.boxWrap(description, (help.helpWidth ?? USUAL_WIDTH) - INDENT.length);
  return `  ${term}\n${text.replace(/^/gm, INDENT)}`;
}
