/** What `make check` finds to check, in a repository of its own (hack/check). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const CHECK = fileURLToPath(new URL('../hack/check/check.mjs', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-'));
  git('init', '--quiet', '--initial-branch=main');
  write('pkg/a/one.ts', 'export const one = 1;\n');
  write('pkg/a/one.test.ts', "import { one } from './one.js';\n");
  write('pkg/a/two.test.ts', "import '../b/three.js';\n");
  write('pkg/b/three.ts', 'export const three = 3;\n');
  write('docs/page.md', 'A page.\n');
  commit();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): void {
  const who = [
    '-c',
    'user.name=check',
    '-c',
    'user.email=check@example.com',
    '-c',
    'core.hooksPath=/dev/null',
  ];
  execFileSync('git', [...who, ...args], { cwd: folder });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message=change');
}

/** The lines that say what would be checked. */
const list = (): string[] =>
  execFileSync(process.execPath, [CHECK, '--list'], { cwd: folder, encoding: 'utf8' }).trim().split('\n');
const suitesOf = (lines: string[]): string | undefined =>
  lines.map((line) => /TESTS=([^']*)/.exec(line)?.[1]).find((found) => found !== undefined);

test('says that nothing has changed', () => {
  expect(list()).toEqual(['check: nothing has changed since main']);
});

test('checks what is committed, uncommitted and untracked since main', () => {
  git('checkout', '--quiet', '-b', 'change');
  write('pkg/a/committed.ts', '');
  commit();
  write('pkg/a/one.ts', 'export const one = 11;\n');
  write('pkg/a/untracked.ts', '');
  const names = list().map((line) => /^lint: .*--deny-warnings (.*)/.exec(line)?.[1]);
  expect(names).toContain('pkg/a/committed.ts pkg/a/one.ts pkg/a/untracked.ts');
});

test('runs the suites beside a file that import it', () => {
  write('pkg/a/one.ts', 'export const one = 11;\n');
  expect(suitesOf(list())).toBe('pkg/a/one.test.ts');
});

test('runs suites elsewhere that import a file where none beside it does', () => {
  write('pkg/b/three.ts', 'export const three = 33;\n');
  expect(suitesOf(list())).toBe('pkg/a/two.test.ts');
});

test('runs a changed suite, and neither types nor suites for a changed page', () => {
  write('pkg/a/two.test.ts', '');
  expect(suitesOf(list())).toBe('pkg/a/two.test.ts');
  git('checkout', '--quiet', '--', '.');
  write('docs/page.md', 'Another page.\n');
  expect(list().map((line) => line.split(':')[0])).toEqual(['format']);
});

test('names the suites that would take more than a minute', () => {
  for (let at = 10; at < 50; at += 1) write(`pkg/c/suite${at}.test.ts`, '');
  const left = list().find((line) => line.includes('more suites'));
  expect(left).toContain('8 more suites would take more than a minute');
  expect(left).toContain('pkg/c/suite49.test.ts');
});

test('names the command of a changed suite of real clusters', () => {
  write('test/host/real.test.ts', '');
  expect(list()).toContain('check: not run, as it takes minutes: make e2e TESTS=test/host/real.test.ts');
});
