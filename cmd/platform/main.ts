#!/usr/bin/env node
import { EXIT, exitCodeOf, messageOf } from './failure.js';
import { platform } from './program.js';
import { printable } from './output/printable.js';
import { processTerminal, wasInterrupted } from './output/terminal.js';

// Whoever reads may stop reading: `platform list secrets | head -1`.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.stderr.write(`platform: cannot write the output: ${message}\n`);
  process.exit(EXIT.failed);
});
process.stderr.on('error', () => undefined);

/** Exit codes are those of `failure.ts`; every failure is one line. */
platform({
  argv: process.argv.slice(2),
  env: process.env,
  terminal: processTerminal,
  write: (bytes) => void process.stdout.write(bytes),
}).catch((error: unknown) => {
  // Ctrl-C at a question, or where something is undone first, ends the program as it does elsewhere.
  if (wasInterrupted(error)) return process.kill(process.pid, 'SIGINT');
  process.stderr.write(`platform: ${printable(messageOf(error))}\n`);
  process.exitCode = exitCodeOf(error);
});
