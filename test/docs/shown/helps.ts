/** What the help of kubectl and Helm says of their commands. The real programs are asked, once for each command. */
import { execute } from '../../fixtures/program.js';
import { findProgram } from '../../fixtures/stores/etcd.js';

export interface Help {
  readonly commands: ReadonlySet<string>;
  /** Whether it has the next word as its value, by its names, such as `--namespace` and `-n`. */
  readonly options: ReadonlyMap<string, boolean>;
  /** Whether it takes files in the place of a command, as `kubectl create` does. */
  readonly takesFiles: boolean;
}

const HEADED = /^[^\n]*Commands[^\n]*:\n((?: {2}\S.*\n)+)/gm;
const OPTION = /^ +(?:(-\w), )?(--[\w-]+)(\S*)(.*)$/gm;

const helps = new Map<string, Help>();

/** Of a command, which exists. */
export function helpOf(program: 'kubectl' | 'helm', path: readonly string[]): Help {
  const key = [program, ...path].join(' ');
  const known = helps.get(key);
  if (known !== undefined) return known;
  const help = readHelp(answerOf(program, [...path, '--help']), program === 'kubectl' ? optionsOfAll() : '');
  helps.set(key, help);
  return help;
}

/** kubectl leaves what each command takes out of their helps. */
let ofAll: string | undefined;
const optionsOfAll = (): string => (ofAll ??= answerOf('kubectl', ['options']));

function answerOf(program: string, args: readonly string[]): string {
  const path = findProgram(program);
  if (path === undefined) throw new Error(`there is no ${program}`);
  const { code, out, err } = execute(path, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${err}`);
  return out;
}

/** kubectl writes `--name='':` and `--name=false:`, and Helm `--name string` and `--name`. */
function readHelp(text: string, more: string): Help {
  const commands = [...text.matchAll(HEADED)].flatMap(([, lines = '']) =>
    [...lines.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name),
  );
  const options = [...`${text}\n${more}`.matchAll(OPTION)].flatMap(
    ([, short = '', long = '', given = '', rest = '']): [string, boolean][] => {
      const hasValue = given === '' ? /^ [a-zA-Z]+(?: {2}|$)/.test(rest) : !/^=(?:true|false):$/.test(given);
      return [
        [short, hasValue],
        [long, hasValue],
      ];
    },
  );
  return {
    commands: new Set(commands),
    options: new Map([...options, ['--help', false], ['-h', false]]),
    takesFiles: /[ (]-f FILENAME/.test(text),
  };
}
