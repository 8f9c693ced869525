import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const SCRIPT = fileURLToPath(new URL('../hack/jest.mjs', import.meta.url));
const COUNTER = fileURLToPath(new URL('../hack/count-tests.mjs', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jestrun-'));
  write('jest.config.json', JSON.stringify({ testEnvironment: 'node' }));
  write('good.test.js', `test('good', () => {}); test('better', () => {});`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** The exit status and standard error of the run, and what the counter prints: `PASSED FAILED` and its lines. */
function run(env: NodeJS.ProcessEnv = {}) {
  const results = join(folder, 'results.json');
  const { status, stderr } = spawnSync(
    process.execPath,
    [SCRIPT, results, '--config', join(folder, 'jest.config.json')],
    { env: { ...process.env, ...env }, encoding: 'utf8' },
  );
  const counter = spawnSync(process.execPath, [COUNTER, results], { encoding: 'utf8' });
  return { status, stderr, counts: counter.stdout.trim(), lines: counter.stderr };
}

test('a file that fails once has failed', () => {
  write(
    'once.test.js',
    `const { existsSync, writeFileSync } = require('node:fs');
     test('passes the second time', () => {
       const ran = existsSync(__filename + '.ran');
       writeFileSync(__filename + '.ran', '');
       expect(ran).toBe(true);
     });`,
  );
  expect(run()).toMatchObject({ status: 1, counts: '2 1' });
});

test('a failed test is named with its message and the command that repeats it alone', () => {
  write('bad.test.js', `describe('a (b)', () => test("isn't", () => expect(1).toBe(2)));`);
  write('broken.test.js', `throw new Error('broken');`);
  const { status, counts, lines } = run();
  expect({ status, counts }).toEqual({ status: 1, counts: '2 2' });
  expect(lines).toMatch(
    /^FAILED \S*bad\.test\.js: a \(b\) isn't: Error: expect\(received\).* Expected: 2 Received: 1 \| make test TESTS=\S*bad\.test\.js ONLY='a \\\(b\\\) isn'\\''t'$/m,
  );
  expect(lines).toMatch(/^FAILED \S*broken\.test\.js: .* \| make test TESTS=\S*broken\.test\.js$/m);
  expect(lines.match(/\n/g)).toHaveLength(2);
});

test('a failure in a teardown counts, although no test failed, and its file is named', () => {
  write('cleanup.test.js', `afterAll(() => { throw new Error('left behind'); }); test('fine', () => {});`);
  const { status, lines } = run();
  expect(status).toBe(1);
  expect(lines).toMatch(/^FAILED \S*cleanup\.test\.js: /m);
});

test('a run that a suite holds open is ended, and has failed', () => {
  write('held.test.js', `test('holds', () => void setInterval(() => {}, 1000));`);
  expect(run({ JEST_END_MS: '500' })).toMatchObject({ status: 1, counts: '3 0', lines: '' });
});

test('tests have a home, a working directory and a kubeconfig that cannot be read', () => {
  const read = `require('node:fs').readFileSync`;
  const unreadable = `toMatch('a test must not read this')`;
  write(
    'places.test.js',
    `test('places', () => {
       expect(${read}(require('node:os').homedir() + '/.kube/config', 'utf8')).${unreadable};
       expect(${read}('data/store', 'utf8')).${unreadable};
       expect(${read}(process.env.KUBECONFIG, 'utf8')).${unreadable};
       expect(process.env.PLATFORM_TOKEN).toBeUndefined();
     });`,
  );
  expect(run({ PLATFORM_TOKEN: 'x' })).toMatchObject({ status: 0, counts: '3 0' });
});

test('a test that writes there fails the run', () => {
  const write = `require('node:fs').writeFileSync`;
  const inHome = `require('node:os').homedir() + '/.config/platform/config.json'`;
  writeFileSync(
    join(folder, 'writes.test.js'),
    `test('writes', () => { ${write}('left-behind', ''); ${write}(${inHome}, '{}'); });`,
  );
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^jest: a test wrote \S*\/left-behind$/m);
  expect(stderr).toMatch(/^jest: a test wrote \S*\/platform\/config\.json$/m);
});
