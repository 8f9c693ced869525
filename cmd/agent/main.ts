#!/usr/bin/env node
import { readOptions } from './options.js';

/** options -> run; one line and exit code 1 for what the operator can mend. */
async function main(): Promise<void> {
  process.umask(0o077);
  const options = readOptions(process.argv.slice(2));
  const { run } = await import('./run.js');
  const agent = await run(options);
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    void agent.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`management-agent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
