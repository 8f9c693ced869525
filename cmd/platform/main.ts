#!/usr/bin/env node
import { platform } from './program.js';

/** Exit code 1 and one line for everything that fails. */
platform({
  argv: process.argv.slice(2),
  env: process.env,
  write: (text) => void process.stdout.write(text),
}).catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`platform: ${text.replace(/\s*\n\s*/g, ' ')}\n`);
  process.exitCode = 1;
});
