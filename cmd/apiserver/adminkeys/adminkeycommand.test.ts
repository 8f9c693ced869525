import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { noKeys } from '../../../pkg/storage/encryption/keyring.js';
import { openEncrypted } from '../../../pkg/storage/encryption/openencrypted.js';
import { adminRecordValue } from '../../../pkg/management/administrators/adminrecords.js';
import { adminKeyCommand } from './adminkeycommand.js';

let directory: string;
const place = (): string => `--data-dir=${directory}`;
const open = () => openEmbedded({ directory: join(directory, 'store') });

async function run(...argv: string[]): Promise<string> {
  let written = '';
  await adminKeyCommand({ argv, env: {}, write: (text) => (written += text) });
  return written;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'admin-key-'));
  // Where the file of the encryption keys is by default.
  process.env.XDG_CONFIG_HOME = join(directory, 'config');
});
afterAll(() => rm(directory, { recursive: true }));

describe('admin-key', () => {
  test.each([
    [[], 'a subcommand is required: list or revoke'],
    [['show'], 'unknown subcommand "show"'],
    [['list', 'a'], 'list takes no name'],
    [['revoke'], 'revoke requires names'],
    [['revoke', 'a', '--all'], 'mutually exclusive'],
    [['list', '--no-such'], '--no-such'],
    [['list', '--etcd-cafile=x'], '--etcd-servers'],
  ])('refuses %j with the correct usage', async (argv, message) => {
    await expect(run(...argv, place())).rejects.toThrow(message);
  });

  test('does not create a store', async () => {
    await expect(run('list', place())).rejects.toThrow(/there is no store in .*--data-dir/);
    await expect(open().then((storage) => storage.close())).resolves.toBeUndefined();
  });

  test('says why a store cannot be read that may be there', async () => {
    await symlink('loop', join(directory, 'loop'));
    await expect(run('list', `--data-dir=${join(directory, 'loop')}`)).rejects.toThrow(
      /loop.*(cannot be read: .*symbolic|too many)/,
    );
  });

  test('describes the command and its options in help', async () => {
    const text = await run('--help');
    for (const part of ['admin-key revoke --all', '--etcd-servers', '--config']) expect(text).toContain(part);
  });

  test('lists and revokes keys', async () => {
    const engine = await open();
    // As a server does before it writes.
    await (await openEncrypted(engine, noKeys, 'no file')).begin();
    const hash = Buffer.alloc(32, 1);
    for (const accessKey of ['admin-a', 'admin-b'])
      await engine.commit([
        {
          key: `private/adminkey/${accessKey}`,
          value: adminRecordValue({ hash, accessKey }, 0),
          expect: 'any',
        },
      ]);
    await expect(run('list', place())).rejects.toThrow(/kubectl delete ownedaccesskey NAME.*stop the server/);
    await engine.close();
    expect((await run('list', place())).split(/\n/)[1]).toBe(
      'admin-a   1970-01-01T00:00:00Z   <none>     revoked',
    );
    await expect(run('revoke', 'admin-x', place())).rejects.toThrow(/no administrator's key "admin-x"/);
    expect(await run('revoke', place(), 'admin-a')).toBe('revoked admin-a\n');
    expect(await run('revoke', place(), '--all')).toBe('revoked admin-b\n');
    expect(await run('list', place())).toBe("There are no administrators' keys.\n");
  });
});
