/** The parts that every verb gets. */
import type { Command } from 'commander';
import type { Client } from './connection/client.js';
import type { Write } from './output/output.js';
import type { Terminal } from './output/terminal.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Cli {
  readonly env: Environment;
  readonly terminal: Terminal;
  /** The result: standard output. Control characters of terminals are shown as spaces. */
  readonly write: Write;
  /** The result byte by byte; on a terminal as {@link Cli.write}. */
  readonly writeExactly: (bytes: string | Buffer) => void;
  /** The name of the context that flags choose, if they do. */
  chosenContext(): string | undefined;
  /** Whether flags name a kubeconfig. */
  choosesKubeconfig(): boolean;
  /** Flags with which a later command uses the login of `client`, and no other. */
  pinned(client: Client): Promise<string[]>;
  /** With the server that flags, environment and login choose. */
  connect(): Promise<Client>;
  /** Gets each request, with `--debug`. */
  trace(line: string): void;
}

/** Adds a verb to the program. */
export type Verb = (program: Command, cli: Cli) => void;
