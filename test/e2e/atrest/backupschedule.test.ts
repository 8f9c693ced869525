/** A server with scheduled backups. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { holdsText } from '../../fixtures/stores/holdstext.js';
import { execute } from '../../fixtures/program.js';
import { compiledServer, startServer } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const run = (...args: string[]) =>
  execute(process.execPath, [compiledServer(), ...args], { env: { HOME: '/nonexistent', NODE_OPTIONS: '' } });
const backupsIn = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith('.backup'));

test('a server backs its store up when the newest backup is too old, and keeps the newest', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'scheduled-'));
  const flags = [`--backup-directory=${directory}`, '--backup-interval=10s', '--backup-retain=2'];
  const server = await startServer({ flags });
  try {
    const whole = (): string[] => backupsIn(directory);
    await eventually('three backups', async () => server.log().split('the store was backed up').length > 3);
    expect(whole()).toHaveLength(2);
    const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
    for (const name of whole()) {
      const file = join(directory, name);
      const { code, err } = run('backup', 'verify', file, keys);
      expect([code, err]).toEqual([0, '']);
    }
  } finally {
    await server.remove();
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a server encrypts its backups as a whole, for recipients or by a passphrase', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'wrapped-'));
  const at = (name: string): string => join(directory, name);
  const [identity, other] = await Promise.all([generateIdentity(), generateIdentity()]);
  for (const [name, text] of [
    ['identity', identity],
    ['other', other],
    ['passphrase', 'four words are enough'],
  ] as const)
    writeFileSync(at(name), `${text}\n`, { mode: 0o600 });
  const cases = [
    [`--backup-recipient=${await identityToRecipient(identity)}`, `--identity-file=${at('identity')}`],
    [`--backup-passphrase-file=${at('passphrase')}`, `--passphrase-file=${at('passphrase')}`],
  ] as const;
  try {
    for (const [nth, [flag, opens]] of cases.entries()) {
      const folder = at(`backups${nth}`);
      mkdirSync(folder);
      const server = await startServer({ flags: [`--backup-directory=${folder}`, flag] });
      try {
        await eventually('a backup', () => Promise.resolve(server.log().includes('the store was backed up')));
        const [name = ''] = backupsIn(folder);
        const file = join(folder, name);
        expect(holdsText(readFileSync(file), '"name":"kube-system"')).toBe(false);
        const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
        expect(run('backup', 'verify', file, keys, opens)).toMatchObject({ code: 0, err: '' });
        for (const [wrong, why] of [
          [[], 'is encrypted by age: give --identity-file'],
          [[`--identity-file=${at('other')}`], 'what was given does not open it'],
        ] as const)
          expect(run('backup', 'verify', file, keys, ...wrong)).toMatchObject({
            code: 1,
            err: expect.stringContaining(why),
          });
      } finally {
        await server.remove();
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a server does not start with backups that nobody could open', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refused-'));
  const at = (name: string): string => join(directory, name);
  writeFileSync(at('open'), 'words\n', { mode: 0o644 });
  writeFileSync(at('empty'), '\n', { mode: 0o600 });
  const into = `--backup-directory=${at('backups')}`;
  const recipient = '--backup-recipient=age1nonsense';
  try {
    for (const [flags, why] of [
      [[recipient], '--backup-recipient requires --backup-directory'],
      [[`--backup-passphrase-file=${at('open')}`], '--backup-passphrase-file requires --backup-directory'],
      [[into, recipient], '--backup-recipient: "age1nonsense" is not an age recipient'],
      [[into, recipient, `--backup-passphrase-file=${at('empty')}`], 'mutually exclusive'],
      [[into, `--backup-passphrase-file=${at('open')}`], 'other users may read or write it (mode 0644)'],
      [[into, `--backup-passphrase-file=${at('empty')}`], 'its first line is empty'],
      [[into, `--backup-passphrase-file=${at('none')}`], 'no such file'],
    ] as const) {
      const { code, err } = run(`--data-dir=${at('data')}`, '--secure-port=0', ...flags);
      expect([code, err.split('\n').length, err]).toEqual([1, 2, expect.stringContaining(why)]);
    }
    expect(readdirSync(directory).sort()).toEqual(['empty', 'open']);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
