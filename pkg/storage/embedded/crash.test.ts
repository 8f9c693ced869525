import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openEmbedded } from './embedded.js';
import { transpileEngine, WRITER } from './testing/transpile.js';

const ROUNDS = 12;
const WRITERS = 8;

let engine = '';
let directory = '';
beforeAll(async () => {
  engine = await transpileEngine();
  directory = await mkdtemp(path.join(tmpdir(), 'embedded-'));
});
afterAll(async () => {
  await rm(engine, { recursive: true });
  await rm(directory, { recursive: true });
});

/**
 * Runs the writer, and kills it after this number of acknowledged writes. Returns the last number and revision of each
 * writer.
 */
async function writeAndKill(answers: number): Promise<Map<number, { number: number; revision: number }>> {
  const child = spawn(process.execPath, [WRITER, engine, directory, String(WRITERS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged = new Map<number, { number: number; revision: number }>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [writer, number, revision] = line.split(' ').map(Number);
    if (writer === undefined || number === undefined || revision === undefined) continue;
    acknowledged.set(writer, { number, revision });
    count += 1;
    if (count === answers) child.kill('SIGKILL');
  }
  expect(count).toBeGreaterThanOrEqual(answers);
  return acknowledged;
}

test(`a process killed ${ROUNDS} times while it writes loses no answered commit and leaves none torn`, async () => {
  let newest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await writeAndKill(1 + ((round * 37) % 211));
    const storage = await openEmbedded({ directory });
    const { records, revision } = await storage.scan({ start: 'a/', end: 'c' });
    const state = new Map(records.map((record) => [record.key, record]));
    expect(revision).toBeGreaterThan(newest);
    for (const [writer, last] of acknowledged) {
      const [a, b] = [state.get(`a/${writer}`), state.get(`b/${writer}`)];
      expect(Number(a?.value.toString())).toBeGreaterThanOrEqual(last.number);
      expect(b?.value.toString()).toBe(a?.value.toString());
      expect(b?.revision).toBe((a?.revision ?? 0) + 1);
      expect(b?.revision).toBeGreaterThanOrEqual(last.revision);
    }
    newest = revision;
    await storage.close();
  }
});
