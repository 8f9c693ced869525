/** Entries of secrets as lines that a shell reads. */
import { Failure } from '../failure.js';

/**
 * The best known variables that choose what a shell or a program runs. A best effort against secrets that others may
 * write: no list is complete, so `run --env` lets the caller choose the names.
 */
const STEERING = /^(PATH|IFS|ENV|BASH_.*|PROMPT_COMMAND|LD_.*|DYLD_.*|NODE_OPTIONS)$/;

/** Valid names. Most shells run no part of an invalid one, and none should try. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Which server this program asks, and as whom: a secret does not change that. */
const OF_THIS_PROGRAM = /^PLATFORM_/;

/** `NAME='value'`, for a shell to read: sh, bash, zsh and fish take the value as it is. */
export const assignment = (name: string, value: string): string => `${name}=${quoted(value)}\n`;

/** The name and the value of a variable. Throws Failure as {@link variablesOf}. */
function variable(key: string, value: Buffer, steering: boolean): [string, string] {
  const name = variableOf(key);
  const text = value.toString('utf8');
  if (!Buffer.from(text).equals(value) || text.includes('\0'))
    throw new Failure(
      'failed',
      `the value of ${name} is binary and fits no variable; read it by "platform get secret" with -o raw or -o json`,
    );
  if (OF_THIS_PROGRAM.test(name))
    throw new Failure(
      'failed',
      `${name} chooses the server and the login of this program, so no secret sets it; read it by "platform get secret" with -o raw or -o json`,
    );
  if (!steering && STEERING.test(name))
    throw new Failure(
      'failed',
      `${name} changes how a shell or its programs run, so it is not made a variable; name the variable yourself by "platform run --env", pass --allow-unsafe-env, or read it by "platform get secret" with -o raw or -o json`,
    );
  return [name, text];
}

/** A key of a secret as the name of a variable: what no name may have becomes `_`. Throws Failure for none. */
function variableOf(key: string): string {
  const plain = key.replace(/[^A-Za-z0-9_]/g, '_');
  const name = /^[0-9]/.test(plain) ? `_${plain}` : plain;
  if (VARIABLE.test(name)) return name;
  throw new Failure(
    'failed',
    `the entry ${JSON.stringify(key)} can be no variable; read it by "platform get secret" with -o raw or -o json`,
  );
}

/** Fish reads a backslash between single quotes as an escape, so one stands outside of them. */
const quoted = (text: string): string =>
  `'${text.replace(/['\\]/g, (character) => (character === "'" ? `'\\''` : `'\\\\'`))}'`;

type Entries = readonly (readonly [string, Buffer])[];

/**
 * Entries as variables, by their names. Throws Failure for what no variable can hold, where two would be the same, for a
 * name of this program, and for one that changes how a shell runs, unless these are wanted (`steering`).
 */
export function variablesOf(entries: Entries, steering = false): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [key, value] of entries) {
    const [name, text] = variable(key, value, steering);
    if (variables.has(name))
      throw new Failure('failed', `two entries would be the variable ${name}; use -o json`);
    variables.set(name, text);
  }
  return variables;
}

/** The lines of several entries. `before` stands before each. Throws Failure as {@link variablesOf}. */
export const environmentOf = (entries: Entries, steering = false, before = ''): string =>
  [...variablesOf(entries, steering)].map(([name, text]) => before + assignment(name, text)).join('');
