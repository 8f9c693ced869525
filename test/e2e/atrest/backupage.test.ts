/** Backups that are encrypted as a whole with age, for recipients and with a passphrase. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { holdsText } from '../../fixtures/stores/holdstext.js';
import { compiledServer, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

describe('a backup that age encrypts', () => {
  let server: ServerFixture;
  let recipients: readonly string[];
  const at = (name: string): string => join(server.directory, name);
  beforeAll(async () => {
    server = await startServer();
    await server.stop();
    const identities = await Promise.all([generateIdentity(), generateIdentity(), generateIdentity()]);
    recipients = await Promise.all(identities.slice(0, 2).map((one) => identityToRecipient(one)));
    for (const [nth, identity] of identities.entries())
      keep(`identity${nth}`, `# made for a test\n${identity}\n`);
    keep('passphrase', 'four words are enough\n');
    keep('other', 'and these are others\n');
    writeFileSync(at('open'), 'x\n', { mode: 0o644 });
  });
  afterAll(() => server?.remove());

  const keep = (name: string, text: string | Buffer): void => writeFileSync(at(name), text, { mode: 0o600 });
  function run(...args: string[]): readonly [number | null, string] {
    const keys = `--encryption-key-file=${at('encryption.key')}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiledServer(), ...args, keys], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return [status, stdout + stderr];
  }
  const create = (name: string, ...flags: string[]) =>
    run('backup', 'create', at(name), `--data-dir=${at('data')}`, ...flags);

  test('for recipients is opened by each of their identities, restored, and by nobody else', () => {
    expect(create('plain')).toEqual([0, expect.anything()]);
    expect(create('wrapped', `--recipient=${recipients.join(',')}`)).toEqual([0, expect.anything()]);
    const name = '"name":"kube-system"';
    expect(['plain', 'wrapped'].map((file) => holdsText(readFileSync(at(file)), name))).toEqual([
      true,
      false,
    ]);
    for (const nth of [0, 1])
      expect(run('backup', 'verify', at('wrapped'), `--identity-file=${at(`identity${nth}`)}`)).toEqual([
        0,
        expect.stringContaining('is whole, and the keys open it'),
      ]);
    const restored = run(
      'restore',
      at('wrapped'),
      `--identity-file=${at('identity1')}`,
      `--data-dir=${at('new')}`,
    );
    expect(restored).toEqual([0, expect.stringMatching(/^restored \d\d+ records/)]);
    // A backup that is not encrypted with age can be read with an identity file, too.
    expect(run('backup', 'verify', at('plain'), `--identity-file=${at('identity1')}`)[0]).toBe(0);
    const bytes = readFileSync(at('wrapped'));
    keep('cut', bytes.subarray(0, -20_000));
    keep('head', bytes.subarray(0, 100));
    keep(
      'flipped',
      Buffer.concat([
        bytes.subarray(0, 9_000),
        Buffer.from([(bytes[9_000] ?? 0) ^ 1]),
        bytes.subarray(9_001),
      ]),
    );
    for (const [file, flags, why] of [
      ['wrapped', [], 'is encrypted by age: give --identity-file'],
      ['wrapped', [`--identity-file=${at('identity2')}`], 'what was given does not open it'],
      ['wrapped', [`--passphrase-file=${at('passphrase')}`], 'what was given does not open it'],
      ['cut', [`--identity-file=${at('identity0')}`], 'is damaged or cut short'],
      ['head', [`--identity-file=${at('identity0')}`], 'its head is damaged or cut short'],
      ['flipped', [`--identity-file=${at('identity0')}`], 'is damaged or cut short'],
    ] as const)
      for (const args of [
        ['backup', 'verify'],
        ['restore', `--data-dir=${at('never')}`],
      ]) {
        const [code, said] = run(...args, at(file), ...flags);
        expect([file, code, said.split('\n').length, said]).toEqual([
          file,
          1,
          2,
          expect.stringContaining(why),
        ]);
      }
    expect(run('encryption', 'status', `--data-dir=${at('never')}`)[1]).toContain('there is no store in');
  });

  test('by a passphrase is opened by it alone', () => {
    const passphrase = `--passphrase-file=${at('passphrase')}`;
    expect(create('locked', passphrase)).toEqual([0, expect.anything()]);
    expect(run('backup', 'verify', at('locked'), passphrase)[0]).toBe(0);
    expect(run('backup', 'verify', at('locked'), `--passphrase-file=${at('other')}`)).toEqual([
      1,
      expect.stringContaining('what was given does not open it'),
    ]);
  });

  test('validates flags before anything is written', () => {
    for (const [flags, why] of [
      [['--recipient=age1nonsense'], '--recipient: "age1nonsense" is not an age recipient'],
      [['--recipient=AGE-SECRET-KEY-1PLANTED'], '--recipient: this is an identity, which is secret'],
      [[`--recipient=${recipients[0] ?? ''}`, `--passphrase-file=${at('passphrase')}`], 'mutually exclusive'],
      [[`--passphrase-file=${at('open')}`], 'other users may read or write it'],
      [[`--passphrase-file=${at('none')}`], 'no such file'],
      [[`--identity-file=${at('identity0')}`], 'create takes no --identity-file'],
    ] as const) {
      const [code, said] = create('not', ...flags);
      expect([code, said.split('\n').length, said]).toEqual([1, 2, expect.stringContaining(why)]);
      expect(said).not.toContain('PLANTED');
    }
    const identity = run('backup', 'verify', at('wrapped'), `--identity-file=${at('passphrase')}`);
    expect(identity).toEqual([1, expect.stringContaining('a line is no identity of age')]);
    expect(identity[1]).not.toContain('four words');
    expect(() => readFileSync(at('not'))).toThrow('ENOENT');
  });
});
