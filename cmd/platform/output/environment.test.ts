import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { environmentOf } from './environment.js';

const line = (key: string, value = 'x', unsafe = false): string =>
  environmentOf([[key, Buffer.from(value)]], unsafe);

describe('variables that change how a shell runs', () => {
  test.each([
    'PATH',
    'IFS',
    'ENV',
    'BASH_ENV',
    'BASH_FUNC_ls%%',
    'PROMPT_COMMAND',
    'LD_PRELOAD',
    'LD.PRELOAD',
    'LD-PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
  ])('%s is refused unless it is asked for', (name) => {
    expect(() => line(name)).toThrow(/changes how a shell.*--allow-unsafe-env/);
    expect(line(name, 'x', true)).toMatch(/='x'\n$/);
  });

  test.each(['PASSWORD', 'user', 'DATABASE_URL', 'PATHS', 'MY_PATH', 'HOME', 'tls.crt'])(
    '%s is none',
    (name) => expect(line(name)).toMatch(/^[A-Za-z_]+='x'\n$/),
  );
});

test.each(['PLATFORM_ACCESS_KEY', 'PLATFORM_URL', 'PLATFORM_CA_FILE', 'PLATFORM.TOKEN'])(
  '%s is never made a variable, as this program reads it',
  (name) => {
    expect(() => line(name)).toThrow(/chooses the server and the login of this program/);
    expect(() => line(name, 'x', true)).toThrow(/chooses the server and the login of this program/);
  },
);

test('refuses invalid names, and two entries with one name', () => {
  expect(() => line('')).toThrow(/can be no variable/);
  expect(() => environmentOf([['a.b', Buffer.from('1')], ['a-b', Buffer.from('2')]])).toThrow(/two entries/); // oxfmt-ignore
  expect(environmentOf([['a.b', Buffer.from('1')], ['9', Buffer.from('2')]])).toBe(`a_b='1'\n_9='2'\n`); // oxfmt-ignore
});

const VALUES = [
  "it's",
  'a\\',
  "\\'; touch x; '",
  '$(touch x)',
  '`touch x`',
  'a\nb',
  '!!',
  '\u001b[2J',
  "'''",
  '\\\\n',
];
const SHELLS = ['/bin/sh', '/bin/bash', '/usr/bin/zsh', '/bin/dash'].filter((path) => existsSync(path));

test.each(SHELLS)('%s reads every value as it is', (shell) => {
  for (const value of VALUES) {
    const script = `${line('V', value)}printf '%s' "$V"`;
    expect(execFileSync(shell, ['-c', script]).toString()).toBe(value);
  }
});

test('fish would too: no backslash stands between quotes', () => {
  for (const value of VALUES) expect(line('V', value)).toMatch(/^V=(?:'[^'\\]*'|\\['\\])*\n$/);
});
