/** Sources of values for `set secret` and `create secret`. */
import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { usage } from '../../failure.js';
import { readNamed } from '../../files/atomicfile.js';
import { askSecret } from '../../output/terminal.js';

export interface ValueOptions {
  readonly file?: string;
  readonly keepNewline?: boolean;
  readonly envFile?: string;
  readonly fromEnvFile?: string;
  readonly fromLiteral?: readonly string[];
  readonly fromFile?: readonly string[];
}

/** Flags for several entries. */
export function addEntryFlags(command: Command): Command {
  return (
    command
      .option(
        '--from-literal <entry=value>',
        'An entry; may be repeated. Others may see it in your shell.',
        collected,
      )
      .option('--from-file <entry=file>', 'An entry from a file, byte by byte; may be repeated.', collected)
      .option('--from-env-file <file>', 'Entries from lines NAME=value.')
      // Node looks for this one among the arguments of every script, and applies NODE_OPTIONS of the file to itself.
      .option(
        '--env-file <file>',
        'The same, for files that you trust: if Node was installed separately, it also applies NODE_OPTIONS of the file to itself.',
      )
  );
}

const collected = (text: string, before: string[] = []): string[] => [...before, text];

export type Entries = Readonly<Record<string, Buffer>>;

/** `spec.data` of a secret with these entries. */
export const dataOf = (entries: Entries): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, value.toString('base64')]));

/** The value of one entry: as it is from arguments and files, without a newline at its end from standard input. */
export async function valueOf(
  { terminal }: Cli,
  value: string | undefined,
  options: ValueOptions,
): Promise<Buffer> {
  const { file, keepNewline } = options;
  if (value !== undefined && file !== undefined) throw usage('give the value or --file, not both');
  if (value !== undefined) return Buffer.from(value);
  if (file !== undefined) return readNamed(file);
  if (terminal.interactive)
    return Buffer.from(await askSecret(terminal, 'Value', 'give a value, --file, or standard input'));
  const bytes = await terminal.readAll();
  return keepNewline === true ? bytes : withoutNewline(bytes);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The newline that `echo` adds. */
function withoutNewline(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== NEWLINE) return bytes;
  return bytes.subarray(0, bytes.at(-2) === RETURN ? -2 : -1);
}

/** Several entries, from files of variables, then arguments, then files; undefined where none of these was given. */
export async function entriesFrom({
  envFile,
  fromEnvFile = envFile,
  fromLiteral = [],
  fromFile = [],
}: ValueOptions): Promise<Entries | undefined> {
  if (envFile !== undefined && fromEnvFile !== envFile)
    throw usage('give --from-env-file or --env-file, not both');
  if (fromEnvFile === undefined && fromLiteral.length === 0 && fromFile.length === 0) return undefined;
  const entries: Record<string, Buffer> = {};
  if (fromEnvFile !== undefined)
    Object.assign(entries, parseEnvFile((await readNamed(fromEnvFile)).toString(), fromEnvFile));
  for (const text of fromLiteral) {
    const [key, value] = pairOf(text, '--from-literal');
    entries[key] = Buffer.from(value);
  }
  for (const text of fromFile) {
    const [key, path] = pairOf(text, '--from-file');
    entries[key] = await readNamed(path);
  }
  return entries;
}

/** Throws Failure, usage, which repeats nothing of the text. `flag`: where it comes from. */
export function pairOf(text: string, flag: string): [string, string] {
  const at = text.indexOf('=');
  // The value may be a secret: it is not repeated.
  if (at < 1) throw usage(`${flag} wants ENTRY=${flag === '--from-file' ? 'FILE' : 'VALUE'}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Lines `NAME=value`, with `export` before or not, as `get -o env` prints them and `.env` files have them. Throws Failure,
 * usage, which names the line and repeats nothing of it.
 */
function parseEnvFile(text: string, path: string): Record<string, Buffer> {
  const entries: Record<string, Buffer> = {};
  let rest = text.replaceAll('\r\n', '\n');
  let line = 1;
  while (rest !== '') {
    const blank = /^[ \t]*(#[^\n]*)?(\n|$)/.exec(rest);
    const pair =
      blank === null
        ? /^[ \t]*(?:export[ \t]+)?([\w.-]+)=((?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^\n]|[^'"\\\n])*)(\n|$)/.exec(
            rest,
          )
        : null;
    const taken = blank ?? pair;
    if (taken === null) throw usage(`${path}, line ${line}: write it as NAME=value`);
    if (pair !== null) entries[pair[1] ?? ''] = Buffer.from(unquoted(pair[2] ?? ''));
    line += taken[0].split('\n').length - 1;
    rest = rest.slice(taken[0].length);
    if (taken[0] === '') break;
  }
  return entries;
}

/** Parts in single quotes stand for themselves; in double quotes and outside, a backslash makes the next sign plain. */
function unquoted(text: string): string {
  const plain = text.trim().replace(/\s+#.*$/, (end) => (/['"]/.test(text) ? end : ''));
  return plain.replace(
    /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g,
    (_whole, single?: string, double?: string, sign?: string) =>
      single ?? double?.replace(/\\([^])/g, (_pair, one: string) => (one === 'n' ? '\n' : one)) ?? sign ?? '',
  );
}
