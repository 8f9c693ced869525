import type { Cli } from '../cli.js';
import { Failure } from '../failure.js';
import { confirm } from './terminal.js';

/** Whether a command goes on in spite of warnings without a question. */
export interface YesOption {
  readonly yes?: boolean;
}

export const YES_OPTION = ['-y, --yes', 'Do not ask where there is a warning.'] as const;

/**
 * Shows what may be wrong, before anything is written. A person at a terminal is asked whether to go on; elsewhere, and
 * with `--yes`, the command goes on. Rejects with a Failure where the answer is no.
 */
export async function warnAndAsk(
  { terminal }: Pick<Cli, 'terminal'>,
  warnings: readonly string[],
  { yes = false }: YesOption,
): Promise<void> {
  for (const warning of warnings) terminal.tell(`Warning: ${warning}`);
  if (warnings.length === 0 || yes || !terminal.interactive) return;
  if (!(await confirm(terminal, 'Go on?', 'say --yes to go on')))
    throw new Failure('failed', 'nothing was changed');
}
