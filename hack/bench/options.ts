import { parseArgs } from 'node:util';
import { TARGET_NAMES, type TargetName } from './targets/target.js';

export interface Options {
  /** Undefined: every target that is installed. */
  readonly targets?: readonly TargetName[];
  readonly only: RegExp;
  readonly quick: boolean;
  /** Where the report goes besides stdout. */
  readonly out?: string;
  /** Folder for a CPU profile of each row on our server. */
  readonly profiles?: string;
}

export const USAGE = `Usage: hack/bench/run.sh [--quick] [--only REGEX] [--targets ${TARGET_NAMES.join(',')}] [--out FILE]
                        [--cpu-prof FOLDER]
  --quick     shorter rows, for a first look
  --only      rows whose name matches, case ignored
  --targets   which servers; all that are installed otherwise
  --out       write the report to this file too
  --cpu-prof  profile our server during each row, into this folder; its CPU times then include the profiler's`;

/** Undefined when help was asked for. Throws an Error that says what is wrong. */
export function readOptions(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      targets: { type: 'string' },
      out: { type: 'string' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    targets: values.targets?.split(',').map(targetName),
    only: new RegExp(values.only, 'i'),
    quick: values.quick,
    out: values.out,
    profiles: values['cpu-prof'],
  };
}

function targetName(given: string): TargetName {
  const found = TARGET_NAMES.find((name) => name === given);
  if (found === undefined) throw new Error(`--targets: "${given}" is none of ${TARGET_NAMES.join(', ')}`);
  return found;
}
