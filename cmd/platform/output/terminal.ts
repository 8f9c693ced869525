/** Talking with a person at a terminal. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { usage } from '../failure.js';
import { printable } from './printable.js';

/** The streams of a command. */
export interface Terminal {
  /** Whether questions can be asked: standard input and standard error are terminals. */
  readonly interactive: boolean;
  /** Whether a person sees the result: standard output is a terminal. */
  readonly shown: boolean;
  /** To people: standard error. */
  tell(text: string): void;
  /** Standard input to its end. */
  readAll(): Promise<Buffer>;
}

const MAX_INPUT_BYTES = 16 * 1024 * 1024;

export const processTerminal: Terminal = {
  interactive: process.stdin.isTTY && process.stderr.isTTY,
  shown: process.stdout.isTTY,
  tell: (text) => void process.stderr.write(`${printable(text)}\n`),
  async readAll() {
    const chunks: Buffer[] = [];
    let size = 0;
    const input: AsyncIterable<Buffer> = process.stdin;
    for await (const chunk of input) {
      size += chunk.length;
      if (size > MAX_INPUT_BYTES) throw usage(`standard input is over ${MAX_INPUT_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  },
};

/** Rejects with Failure, usage, if questions cannot be asked: `instead` says what to do then. */
export async function confirm(terminal: Terminal, question: string, instead: string): Promise<boolean> {
  if (!terminal.interactive) throw usage(instead);
  const { default: ask } = await import('@inquirer/confirm');
  return ask({ message: printable(question), default: false }, { output: process.stderr });
}

/** Asks without showing what is typed. Rejects as {@link confirm}. */
export async function askSecret(terminal: Terminal, question: string, instead: string): Promise<string> {
  if (!terminal.interactive) throw usage(instead);
  const { default: ask } = await import('@inquirer/password');
  return ask({ message: printable(question), mask: '*' }, { output: process.stderr });
}

/** Asks which of these it is. Rejects as {@link confirm}. */
export async function choose(
  terminal: Terminal,
  question: string,
  names: readonly string[],
  instead: string,
): Promise<string> {
  if (!terminal.interactive) throw usage(instead);
  const { default: ask } = await import('@inquirer/select');
  const choices = names.map((value) => ({ value, name: printable(value) }));
  return ask({ message: printable(question), choices }, { output: process.stderr });
}

const NOTICE_AFTER_MS = 1000;

/** Tells a person what is under way when it takes longer than a second. */
export async function withProgress<T>(terminal: Terminal, what: string, work: Promise<T>): Promise<T> {
  if (!terminal.interactive) return work;
  const done = new AbortController();
  const notice = sleep(NOTICE_AFTER_MS, undefined, { signal: done.signal }).then(
    () => terminal.tell(`${what} ...`),
    () => undefined,
  );
  try {
    return await work;
  } finally {
    done.abort();
    await notice;
  }
}

class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Waits for `work`, or until Ctrl-C: then rejects, so that what was begun can be undone. A second Ctrl-C ends the program. */
export async function orInterrupted<T>(work: Promise<T>): Promise<T> {
  const waited = new AbortController();
  const interrupted = once(process, 'SIGINT', waited).then(() => {
    throw new Interrupted('interrupted');
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    waited.abort();
  }
}

/** Whether Ctrl-C ended it. The name of the error is inquirer's where it ended a question. */
export const wasInterrupted = (error: unknown): boolean =>
  error instanceof Interrupted || (error instanceof Error && error.name === 'ExitPromptError');
