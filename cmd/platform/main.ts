#!/usr/bin/env node
import { exitCodeOf, messageOf } from './failure.js';
import { platform } from './program.js';
import { processTerminal } from './terminal.js';

/** Exit codes are those of `failure.ts`; every failure is one line. */
platform({
  argv: process.argv.slice(2),
  env: process.env,
  terminal: processTerminal,
  write: (bytes) => void process.stdout.write(bytes),
}).catch((error: unknown) => {
  process.stderr.write(`platform: ${messageOf(error)}\n`);
  process.exitCode = exitCodeOf(error);
});
