/** How help is laid out: it fits the terminal that it is read on. */
import type { Command, Help } from 'commander';
import { ENVIRONMENT_PREFIX } from './flag.js';

const SOURCES = `Every option can also be given as an environment variable, such as ${ENVIRONMENT_PREFIX}SECURE_PORT=8443, or as a line of the --config file, such as "secure-port: 8443". Flags win over the environment, the environment over the file.`;

const HELP_END = `
Examples:
  management-apiserver
  management-apiserver --data-dir data --write-kubeconfig data/admin.kubeconfig

Other commands:
  management-apiserver admin-key list|revoke
      The keys that --write-kubeconfig makes; see admin-key --help.
  management-apiserver encryption status|rotate|migrate
      The keys that secrets are encrypted with; see encryption --help.
  management-apiserver backup create|verify
      A copy of the store, taken while servers run; see backup --help.
  management-apiserver restore
      A backup into an empty store; see restore --help.
  management-apiserver store copy
      From the embedded store to etcd, or back; see store --help.`;

/** In lines that fit the terminal, as commander wraps the rest. */
export function helpEnd({ command }: { readonly command: Command }): string {
  const help = command.createHelp();
  const { isTTY, columns } = process.stdout;
  return `\n${help.boxWrap(SOURCES, isTTY ? columns : USUAL_WIDTH)}\n${HELP_END}`;
}

/** Of help that is read elsewhere than on a terminal: commander's. */
const USUAL_WIDTH = 80;

const INDENT = '      ';

/** An option, with what it does in lines of their own: names are too long for two columns. */
export function formatItem(term: string, _termWidth: number, description: string, help: Help): string {
  const text = help.boxWrap(description, (help.helpWidth ?? USUAL_WIDTH) - INDENT.length);
  return `  ${term}\n${text.replace(/^/gm, INDENT)}`;
}
