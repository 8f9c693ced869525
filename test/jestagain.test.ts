import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const SCRIPT = fileURLToPath(new URL('../hack/jest.mjs', import.meta.url));
const COUNTER = fileURLToPath(new URL('../hack/count-tests.mjs', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jestagain-'));
  write('jest.config.json', JSON.stringify({ testEnvironment: 'node' }));
  write('good.test.js', `test('good', () => {}); test('better', () => {});`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** The exit status, and what the counter prints: `PASSED FAILED` and what it says besides. */
function run(env: NodeJS.ProcessEnv = {}): { status: number | null; counts: string; told: string } {
  const results = join(folder, 'results.json');
  const { status } = spawnSync(
    process.execPath,
    [SCRIPT, results, '--config', join(folder, 'jest.config.json')],
    { env: { ...process.env, ...env } },
  );
  const counter = spawnSync(process.execPath, [COUNTER, results], { encoding: 'utf8' });
  return { status, counts: counter.stdout.trim(), told: counter.stderr };
}

/** Fails at first, and passes once the file beside it is there. */
const SECOND_TIME = `
  const { existsSync, writeFileSync } = require('node:fs');
  test('fine', () => {});
  test('fails once', () => {
    const marker = __filename + '.ran';
    const ran = existsSync(marker);
    writeFileSync(marker, '');
    expect(ran).toBe(true);
  });`;

test('a file that passes is run once', () => {
  expect(run()).toEqual({ status: 0, counts: '2 0', told: '' });
});

test('a file that fails once is run again, and named', () => {
  write('again.test.js', SECOND_TIME);
  const { status, counts, told } = run();
  expect({ status, counts }).toEqual({ status: 0, counts: '4 0' });
  expect(told).toMatch(/passed the second time only: \S*again\.test\.js\n$/);
});

test('a file that fails twice has failed, beside one that passes the second time', () => {
  write('again.test.js', SECOND_TIME);
  write('bad.test.js', `test('bad', () => expect(1).toBe(2)); test('fine', () => {});`);
  write('broken.test.js', `throw new Error('broken');`);
  const { status, counts, told } = run();
  expect({ status, counts }).toEqual({ status: 1, counts: '5 2' });
  expect(told).toMatch(/^\S+ passed the second time only: \S*again\.test\.js$/m);
  expect(told).toMatch(/^FAILED \S*bad\.test\.js: bad$/m);
  expect(told).toMatch(/^FAILED \S*broken\.test\.js$/m);
  expect(told.match(/\n/g)).toHaveLength(3);
});

test('a failure in a teardown counts, although no test failed, and its file is named', () => {
  write('cleanup.test.js', `afterAll(() => { throw new Error('left behind'); }); test('fine', () => {});`);
  const { status, told } = run();
  expect(status).toBe(1);
  expect(told).toMatch(/^FAILED \S*cleanup\.test\.js$/m);
});

test('many failures are not run again', () => {
  for (let at = 0; at < 21; at += 1) write(`again${at}.test.js`, SECOND_TIME);
  const { status, counts, told } = run();
  expect({ status, counts }).toEqual({ status: 1, counts: '23 21' });
  expect(told.match(/^FAILED \S*again\d+\.test\.js: fails once$/gm)).toHaveLength(21);
  expect(() => readFileSync(join(folder, 'results.json.again'))).toThrow('ENOENT');
});

test('a run that a suite holds open is ended, and has failed', () => {
  write('held.test.js', `test('holds', () => void setInterval(() => {}, 1000));`);
  expect(run({ JEST_END_MS: '500' })).toEqual({ status: 1, counts: '3 0', told: '' });
}, 60_000);
