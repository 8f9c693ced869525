#!/usr/bin/env node
import { codeOf } from '../../pkg/apimachinery/caught.js';
import { runUntilSignal } from '../../pkg/server/stopsignals.js';
import { complete, type Config } from './options/complete.js';
import { makePlaces } from './options/directories.js';
import { keepMemoryPrivate } from './memory.js';
import { readOptions } from './options/options.js';
import type { RunningServer } from './run.js';
import { inWords, StartError } from '../../pkg/apimachinery/starterror.js';
import { setV8Flags } from './v8flags.js';
import module from 'node:module';

/**
 * options -> complete -> run, or a subcommand; prints one line and exits with code 1 for errors that the
 * operator can fix.
 */
async function main(): Promise<void> {
  // Other users of the machine must not read the server's files.
  process.umask(0o077);
  keepMemoryPrivate();
  const write = (text: string): void => void process.stdout.write(text);
  const argv = process.argv.slice(2);
  process.stdout.on('error', outputFailed);
  if (argv[0] === 'admin-key') {
    const { adminKeyCommand } = await import('./adminkeys/adminkeycommand.js');
    return adminKeyCommand({ argv: argv.slice(1), env: process.env, write });
  }
  if (argv[0] === 'encryption') {
    const { encryptionCommand } = await import('./encryption/encryptioncommand.js');
    return encryptionCommand({ argv: argv.slice(1), env: process.env, write });
  }
  if (argv[0] === 'backup' || argv[0] === 'restore' || argv[0] === 'store') {
    const { backupCommand, restoreCommand, storeCommand } = await import('./backup/commands.js');
    const command = { backup: backupCommand, restore: restoreCommand, store: storeCommand }[argv[0]];
    return command({ argv: argv.slice(1), env: process.env, write });
  }
  const options = readOptions({ argv, env: process.env, write });
  if (options === undefined) return;
  const config = complete(options);
  await checkBackups(config.backups);
  // Before anything is written to them, as compiled code is.
  makePlaces(config.places);
  if (config.compileCache !== undefined) keepCompiled(config.compileCache);
  setV8Flags();
  process.stdout.off('error', outputFailed);
  const { default: cluster } = await import('node:cluster');
  // The process that started a worker also stops it.
  if (cluster.isWorker) return (await import('./workers/worker.js')).runWorker(config);
  await runUntilSignal(() => start(config, write));
}

/** Checks the recipients of scheduled backups now, instead of at the first backup. Throws StartError. */
async function checkBackups(schedule: Config['backups']): Promise<void> {
  if (schedule?.recipients === undefined && schedule?.passphraseFile === undefined) return;
  const { encrypterOf } = await import('../../pkg/management/upkeep/backup/age.js');
  await encrypterOf(schedule, 'backup-');
}

/** The reader of help, or of a subcommand's output, may stop reading: `--help | head`. */
function outputFailed(error: Error): void {
  if (codeOf(error) !== 'EPIPE')
    process.stderr.write(`management-apiserver: cannot write the output: ${inWords(error)}\n`);
  process.exit(1);
}

/** Loaded late: help and errors need nothing of the server. */
async function start(config: Config, write: (text: string) => void): Promise<RunningServer> {
  if (config.workers === 1) return (await import('./run.js')).run(config, write);
  return (await import('./workers/primary.js')).runPrimary(config, write);
}

main().catch((error: unknown) => {
  const text = error instanceof StartError ? error.message : inWords(error);
  process.stderr.write(`management-apiserver: ${text}\n`);
  if (!(error instanceof StartError) && error instanceof Error)
    process.stderr.write(`${error.stack ?? ''}\n`);
  process.exit(1);
});

/**
 * Caches the compiled code of modules loaded from now on, for the next start. The directory must be the
 * server's own, as write access to it allows running code. Does nothing if Node does not support it, or the
 * directory is not writable.
 */
function keepCompiled(directory: string): void {
  // Node 22.8 and newer.
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
    module.enableCompileCache(directory);
}
