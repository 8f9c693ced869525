#!/usr/bin/env node
import { runUntilSignal } from '../../pkg/server/stopsignals.js';
import { readOptions } from './options.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

/** Reads options and runs; prints one line and exits with code 1 for errors that the operator can fix. */
async function main(): Promise<void> {
  process.umask(0o077);
  const [verb, ...rest] = process.argv.slice(2);
  if (verb === 'join') return (await import('./join.js')).runJoin(rest);
  const options = readOptions(process.argv.slice(2));
  const { run } = await import('./run.js');
  await runUntilSignal(() => run(options));
}

main().catch((error: unknown) => {
  process.stderr.write(`management-agent: ${messageOf(error)}\n`);
  process.exit(1);
});
