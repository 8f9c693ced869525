/** The command line of `platform`: what all verbs share. Each verb has a file of its own. */
import { Command, CommanderError } from 'commander';
import { SERVER_VERSION } from '../../pkg/server/version.js';
import { readConnection, type Connection } from './kubeconfig.js';
import { version } from './version.js';

export interface ProgramSources {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where output, help and the version go. */
  readonly write: (text: string) => void;
}

/** The server that the flags and the environment choose, read when a verb asks for it. */
export type Connect = () => Connection;

/** Runs one command to its end. Rejects with an Error whose message is for the user. */
export async function platform({ argv, env, write }: ProgramSources): Promise<void> {
  const program = new Command('platform')
    .description('Works with a management API server.')
    .usage('[options] <command>')
    .option(
      '--kubeconfig <file>',
      'Kubeconfig to use (default: the first of $KUBECONFIG, else ~/.kube/config).',
    )
    .option('--context <name>', 'Context of the kubeconfig to use (default: its current one).')
    .helpOption('-h, --help', 'Show this text.')
    .helpCommand(false)
    .version(SERVER_VERSION, '--version', 'Show the version of this program.')
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: write, writeErr: () => undefined })
    .exitOverride();
  const connect: Connect = () => readConnection(program.opts(), env);
  program
    .command('version')
    .description('Show the versions of this program and of the server.')
    .allowExcessArguments(false)
    .action(() => version(connect, write));
  try {
    if (argv.length === 0) write(program.helpInformation());
    else await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    throw new Error(`${error.message.replace(/^error: /, '')}; see --help`, { cause: error });
  }
}
