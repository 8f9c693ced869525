/** Processes that signals stop. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { waitForParts } from '../../test/fixtures/parts.js';

const COMPILED = fileURLToPath(new URL('../../dist/pkg/server/stopsignals.js', import.meta.url));

waitForParts();
let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

type Send = (...signals: NodeJS.Signals[]) => void;

/**
 * Runs `start`, the body of a function, as a program. Returns its exit code, or the signal that ended it.
 * @param heard called with each word that the program prints
 */
async function ended(start: string, heard: (word: string, send: Send) => void): Promise<unknown> {
  const program = `import { runUntilSignal } from ${JSON.stringify(COMPILED)};
    const say = (word) => process.stdout.write(word + '\\n');
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    setInterval(() => undefined, 1000);
    await runUntilSignal(async () => { ${start} });`;
  const running = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  child = running;
  const send: Send = (...signals) => signals.forEach((signal) => running.kill(signal));
  running.stdout.on('data', (text: Buffer) => {
    for (const word of text.toString().trim().split('\n')) heard(word, send);
  });
  const [code, signal] = (await once(running, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? signal;
}

test('treats signals at the same moment as one', async () => {
  const start = `say('up'); return { stop: () => sleep(300) };`;
  expect(await ended(start, (word, send) => word === 'up' && send('SIGINT', 'SIGTERM', 'SIGINT'))).toBe(0);
});

test('exits on a later signal if stopping hangs', async () => {
  const start = `say('up'); return { stop: () => (say('stopping'), new Promise(() => undefined)) };`;
  let again: NodeJS.Timeout | undefined;
  const how = await ended(start, (word, send) => {
    send('SIGINT');
    if (word === 'stopping') again = setInterval(() => send('SIGINT'), 100);
  });
  clearInterval(again);
  expect(how).toBe(1);
});

test('stops after the start on a signal during it', async () => {
  const start = `say('starting'); await sleep(200); return { stop: async () => undefined };`;
  expect(await ended(start, (_, send) => send('SIGTERM'))).toBe(0);
});

test('exits on a signal if the start hangs', async () => {
  const start = `say('starting'); await new Promise(() => undefined);`;
  expect(await ended(start, (_, send) => send('SIGTERM'))).toBe('SIGTERM');
});
