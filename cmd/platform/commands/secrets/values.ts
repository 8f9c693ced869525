/** Sources of values for `set secret` and `create secret`. */
import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { usage } from '../../failure.js';
import { readNamed } from '../../files/atomicfile.js';
import { type Terminal, askSecret } from '../../output/terminal.js';
import { parseEnvFile } from './envfile.js';

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
      .option(
        '--from-env-file <file>',
        `Entries from lines NAME=value. Single quotes keep any value as it is, over several lines, with '\\'' for a quote; in double quotes \\n, \\r, \\", \\\\ and \\$ are known, and no variable is expanded.`,
      )
      // Node looks for this one among the arguments of every script, and applies NODE_OPTIONS of the file to itself.
      .option(
        '--env-file <file>',
        'The same, for files that you trust: if Node was installed separately, it also applies NODE_OPTIONS of the file to itself.',
      )
  );
}

const collected = (text: string, before: string[] = []): string[] => [...before, text];

export type Entries = Readonly<Record<string, Buffer>>;

/** For people. */
export const quotedKeys = (keys: readonly string[]): string => keys.map((key) => `"${key}"`).join(', ');

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
export async function entriesFrom(
  terminal: Pick<Terminal, 'tell'>,
  { envFile, fromEnvFile = envFile, fromLiteral = [], fromFile = [] }: ValueOptions,
): Promise<Entries | undefined> {
  if (envFile !== undefined && fromEnvFile !== envFile)
    throw usage('give --from-env-file or --env-file, not both');
  if (fromEnvFile === undefined && fromLiteral.length === 0 && fromFile.length === 0) return undefined;
  const file =
    fromEnvFile === undefined ? undefined : parseEnvFile(await readNamed(fromEnvFile), fromEnvFile);
  for (const warning of file?.warnings ?? []) terminal.tell(`Warning: ${warning}`);
  const entries: Record<string, Buffer> = { ...file?.entries };
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
