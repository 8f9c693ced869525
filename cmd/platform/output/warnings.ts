import type { Cli } from '../cli.js';
import { Failure, usage } from '../failure.js';
import { confirm } from './terminal.js';

/** Whether a command goes on in spite of warnings without a question. */
export interface YesOption {
  readonly yes?: boolean;
}

/** The same for names that do not exist. */
export interface NamesOptions extends YesOption {
  readonly allowUnknown?: boolean;
}

export const YES_OPTION = ['-y, --yes', 'Do not ask where there is a warning.'] as const;
export const UNKNOWN_OPTION = ['--allow-unknown', 'Accept names that do not exist.'] as const;

/** What may be wrong with a command. */
export interface Doubts {
  readonly warnings?: readonly string[];
  /** Names that do not exist. */
  readonly unknown?: readonly string[];
}

/**
 * Shows what may be wrong, before anything is written. A person at a terminal is asked whether to go on. Where nothing is
 * asked, elsewhere and with `--yes`, the command goes on unless a name does not exist: a grant to a name that was
 * misspelled is somebody else's one day. Rejects with a Failure where the command must not go on.
 */
export async function warnAndAsk(
  { terminal }: Pick<Cli, 'terminal'>,
  { warnings = [], unknown = [] }: Doubts,
  { yes = false, allowUnknown = false }: NamesOptions,
): Promise<void> {
  for (const warning of [...warnings, ...unknown]) terminal.tell(`Warning: ${warning}`);
  const refused = allowUnknown ? [] : unknown;
  if (warnings.length + refused.length === 0) return;
  if (terminal.interactive && !yes) {
    if (await confirm(terminal, 'Go on?', 'say --yes to go on')) return;
    throw new Failure('failed', 'nothing was changed');
  }
  if (refused.length > 0) throw usage('nothing was changed: correct the names, or say --allow-unknown');
}
