/** The command line of `platform`: what all verbs share. Each verb has a file of its own. */
import { Command, CommanderError, Option } from 'commander';
import { SERVER_VERSION } from '../../pkg/server/version.js';
import { accessKeyVerbs } from './commands/accesskey.js';
import { audit } from './commands/audit.js';
import type { Cli, Environment, Verb } from './cli.js';
import { help } from './commands/help.js';
import { helpNotes } from './output/helpnotes.js';
import { printable } from './output/printable.js';
import { openClient } from './connection/client.js';
import { completion } from './commands/completion.js';
import { chooseConnection } from './connection/connection.js';
import { console } from './commands/login/console.js';
import { connect } from './commands/connect/connect.js';
import { disconnect } from './commands/connect/disconnect.js';
import { context } from './commands/login/context.js';
import { create } from './commands/create.js';
import { remove } from './commands/delete.js';
import { doctor } from './commands/doctor/doctor.js';
import { Failure, usage } from './failure.js';
import { get } from './commands/get.js';
import { insteadOf } from './instead.js';
import { importVerb } from './commands/import.js';
import { invite } from './commands/invite.js';
import { link } from './commands/link.js';
import { kubeconfig } from './commands/kubeconfig.js';
import { list } from './commands/list.js';
import { login } from './commands/login/login.js';
import { logout } from './commands/login/logout.js';
import { move } from './commands/move.js';
import { pinArguments } from './connection/pin.js';
import { set } from './commands/set.js';
import { share, unshare } from './commands/share.js';
import { edit } from './commands/nouns/edit.js';
import { clusterVerbs, projectVerbs } from './commands/nouns/members.js';
import { run } from './commands/secrets/run.js';
import type { Terminal } from './output/terminal.js';
import { test } from './commands/grouprules/testclaims.js';
import { token } from './commands/token.js';
import { use } from './commands/use.js';
import { version } from './commands/version.js';
import { whoami } from './commands/whoami.js';
import { reach } from './commands/rights/reach.js';
import { whoCan } from './commands/rights/whocan.js';

export interface ProgramSources {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly terminal: Terminal;
  /** Gets output, help and the version. */
  readonly write: (bytes: string | Buffer) => void;
}

/** Headings of help, with the commands below them. */
const GROUPS: readonly (readonly [heading: string, verbs: readonly Verb[]])[] = [
  ['Login:', [login, logout, console, whoami, context]],
  ['Objects:', [get, list, create, edit, remove]],
  ['Secrets and access keys:', [set, share, unshare, run, ...accessKeyVerbs]],
  ['People:', [invite, link]],
  ['Projects:', [...projectVerbs, ...clusterVerbs, move]],
  ['Clusters and kubectl:', [connect, disconnect, importVerb, use, kubeconfig, token]],
  ['Help and diagnosis:', [help, doctor, whoCan, reach, test, audit, completion, version]],
];

/** Columns that help gives to descriptions in narrow terminals. */
const NARROWEST_TEXT = 15;

const EXAMPLES = `
Examples:
  platform login https://management.example.com
  platform set secret database.password --file password.txt
  platform get secret database.password
  platform create accesskey ci --project web --ttl 24h -o env
  platform run --secret database -- ./migrate
  platform set quota instances=3 secrets=20 --project web

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not authenticated, 4 forbidden, 5 not found, 6 conflict.

There is no apply command: use "kubectl apply -f" for manifests.

Installed as kubectl-platform, it is a kubectl plugin: "kubectl platform".
`;

/** Runs one command to its end. Rejects with a Failure, whose message is for the user. */
export async function platform({ argv, ...sources }: ProgramSources): Promise<void> {
  const program = platformCommand(sources);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof Failure && error.reason === 'usage')
      throw usage(`${error.message}; see "${helpFor(program, argv)}"`);
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    throw usage(`${wordsOf(error, argv)}; see "${helpFor(program, argv)}"`);
  }
}

function wordsOf({ message }: CommanderError, argv: readonly string[]): string {
  if (message === '(outputHelp)') return 'a command is missing';
  const text = message.replace(/^error: |\.$/g, '');
  const [, unknown] = /^unknown command '(.*?)'/.exec(text) ?? [];
  return unknown === undefined ? text : text + insteadOf(argv, unknown);
}

/** `platform create user --help`: of the command that `argv` names, as far as there is such a one. */
function helpFor(program: Command, argv: readonly string[]): string {
  let command = program;
  const words = ['platform'];
  for (const word of argv) {
    const below = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (below !== undefined) {
      command = below;
      words.push(below.name());
    } else if (command !== program) break;
  }
  return [...words, '--help'].join(' ');
}

/**
 * The program with all of its commands.
 * @public
 */
export function platformCommand({ env, terminal, write }: Omit<ProgramSources, 'argv'>): Command {
  const program = new Command('platform')
    .description('Command line client of the management API.')
    .usage('[options] <command>')
    .option('--context <name>', 'Login to use (default: the current one).')
    .option('--kubeconfig <file>', 'Kubeconfig to use instead of a login.')
    .addOption(new Option('--pin <digest>').hideHelp())
    .option('--debug', 'Log requests, with secrets redacted.')
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand(false)
    .version(SERVER_VERSION, '--version', 'Show the version.')
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .configureHelp({ minWidthToWrap: NARROWEST_TEXT })
    .configureOutput({ writeOut: write, writeErr: () => undefined })
    .addHelpText('after', helpNotes(EXAMPLES))
    .exitOverride();
  const cli = cliOf(program, { env, terminal, write });
  for (const [heading, verbs] of GROUPS) {
    program.commandsGroup(heading);
    for (const verb of verbs) verb(program, cli);
  }
  inherit(program);
  return program;
}

function cliOf(program: Command, { env, terminal, write }: Omit<ProgramSources, 'argv'>): Cli {
  const trace = (line: string): void => {
    if (program.opts<{ debug?: boolean }>().debug === true) terminal.tell(line);
  };
  return {
    env,
    terminal,
    trace,
    write: (text) => write(printable(text)),
    writeExactly: (bytes) => write(terminal.shown ? printable(bytes.toString()) : bytes),
    pinned: ({ connection }) => pinArguments(program.opts(), env, connection),
    chosenContext: () => program.opts<{ context?: string }>().context,
    choosesKubeconfig: () => program.opts<{ kubeconfig?: string }>().kubeconfig !== undefined,
    connect: async () => openClient(await chooseConnection(program.opts(), env), terminal, trace),
  };
}

/** Subcommands refuse what the program refuses, and print where it prints. */
function inherit(command: Command): void {
  for (const below of command.commands) {
    below
      .copyInheritedSettings(command)
      .allowExcessArguments(false)
      .helpOption('-h, --help', 'Show this help.');
    inherit(below);
  }
}
