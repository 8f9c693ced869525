/** The main script of a one-file program: unpacks what it carries unless that is done, and starts it. */
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { getRawAsset } from 'node:sea';
import { readContents } from './contents.js';
import { unpackSomewhere } from './places.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

const contents = readContents((name) => {
  const asset = getRawAsset(name);
  if (typeof asset === 'string') throw new Error(`${name} is not an asset of bytes`);
  return asset;
});

/** With `process.argv` as in an installation: a process that starts itself again names its main file. */
function start(): void {
  const [program = process.execPath] = process.argv;
  const { main, argv } = unpackSomewhere(contents, {
    env: process.env,
    argv: process.argv.slice(2),
    temporary: tmpdir(),
    atExit: (remove) => void process.once('exit', remove),
  });
  process.argv = [program, main, ...argv];
  createRequire(main)(main);
}

try {
  start();
} catch (error) {
  process.stderr.write(`${contents.program}: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
