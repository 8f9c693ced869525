/** What the help of subcommands says of themselves. */
import { expect, test } from '@jest/globals';
import { ADMIN_KEY } from '../adminkeys/adminkeycommand.js';
import { BACKUP, RESTORE, STORE } from '../backup/commands.js';
import { ENCRYPTION } from '../encryption/encryptioncommand.js';
import { boxWrap } from './helplayout.js';
import { readOptions } from './options.js';

const PROGRAM = 'management-apiserver ';

test.each([ADMIN_KEY, ENCRYPTION, BACKUP, RESTORE, STORE])(
  'the help of $usage has its own options first, in lines that fit',
  (texts) => {
    let help = '';
    const sources = { argv: ['--help'], env: {}, write: (text: string) => (help += text) };
    const subcommand = { ...texts, take: () => undefined };
    expect(readOptions({ ...sources, subcommand })).toBeUndefined();
    const lines = help.slice(help.indexOf('\n\n')).split('\n');
    expect(lines.filter((line) => line.length > 80 && line.includes(' ', 8))).toEqual([]);
    const names = [...help.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, name]) => name);
    const own = (texts.flags ?? []).map(({ name }) => name);
    expect(names.slice(0, own.length)).toEqual(own);
    expect(names).toEqual(expect.arrayContaining(['data-dir', 'config']));
    expect(names.includes('all')).toBe(own.includes('all'));
    expect(names.filter((name) => /^(secure-port|backup-interval|max-watches)$/.test(name ?? ''))).toEqual(
      [],
    );
    expect(help.startsWith(`Usage: ${PROGRAM}`)).toBe(true);
  },
);

test('indents continuation lines like their line', () => {
  const text = `verb\n    ${'word '.repeat(12).trim()}\n\nThe end.`;
  expect(boxWrap(text, 50)).toBe(`verb\n    ${'word '.repeat(9).trim()}\n    word word word\n\nThe end.`);
});

test.each([ENCRYPTION, BACKUP])('refuses an option of another subcommand: $usage', (texts) => {
  const subcommand = { ...texts, take: () => undefined };
  const argv = ['x', '--all'];
  expect(() => readOptions({ argv, env: {}, write: () => undefined, subcommand })).toThrow(
    "unknown option '--all'; see --help",
  );
});
