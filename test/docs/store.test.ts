/** The pages about the store, command by command: backup, restore, upgrade and encryption. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client } from '../fixtures/clients/client.js';
import { startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import { describeWith } from '../fixtures/program.js';
import { follow, startReader, type Reader } from './reader.js';

const KEYS = 'management-apiserver-encryption';

describeWith(
  'kubectl',
  'helm',
  'etcd',
)('every command of', () => {
  let reader: Reader;
  let etcd: EtcdFixture | undefined;
  beforeAll(async () => {
    reader = await startReader();
  });
  afterAll(async () => {
    await etcd?.stop();
    await reader?.remove();
  });

  const at = (...names: string[]): string => join(reader.home, ...names);
  const create = async (path: string, name: string, data: Record<string, string>): Promise<void> => {
    const { status, text } = await client(reader.server).send('POST', path, { metadata: { name }, data });
    if (status !== 201) throw new Error(`${path}: ${text}`);
  };

  test('docs/upgrade.md', async () => {
    const words = { 'before-upgrade.backup': 'before-upgrade.backup --data-dir data' };
    await follow(reader, 'docs/upgrade.md', { words });
  });

  test('docs/restore.md', () => follow(reader, 'docs/restore.md'));

  test('docs/backup.md', async () => {
    writeFileSync(at('passphrase'), 'four words are enough\n', { mode: 0o600 });
    await follow(reader, 'docs/backup.md', {
      words: {
        'age1…,age1…': '"$(sed -n "s/.*public key: //p" identity.txt)"',
        'age1…}': () => `${/age1\w+/.exec(readFileSync(at('identity.txt'), 'utf8'))?.[0] ?? ''}}`,
        'upgrade …': 'upgrade management-apiserver deploy/helm',
        // It goes on until it is ended.
        'management-apiserver backup log': async () => {
          for (const name of ['one', 'two', 'three'])
            await create('/api/v1/namespaces/default/configmaps', name, {});
          return 'timeout --preserve-status 3 management-apiserver backup log';
        },
        '2026-11-23T03:04:05Z': (printed) => /, at (\S+), are in backups/.exec(printed)?.[1] ?? '',
        // The page has made another one of this name since.
        'restore management.backup --data-dir new': async () => {
          await reader.run('management-apiserver backup create management.backup --data-dir data');
          return 'restore management.backup --data-dir new';
        },
        '--data-dir new': () => {
          rmSync(at('new'), { recursive: true, force: true });
          return '--data-dir new';
        },
        '# before: a backup, and a copy of the key file, both on another machine':
          'mkdir -p machines/old; cd machines; export HOME=$PWD/old XDG_STATE_HOME=$PWD/old/state; unset MANAGEMENT_APISERVER_ENCRYPTION_KEY_FILE\n' +
          'serving management-apiserver',
        '# on the new machine': 'mkdir new; export HOME=$PWD/new XDG_STATE_HOME=$PWD/new/state',
        'restore management.backup\nmanagement-apiserver':
          'restore management.backup\nserving management-apiserver',
        'mv data/store damaged-store': async () => {
          await reader.run('management-apiserver backup create current.backup --data-dir data');
          await reader.server.stop();
          return 'mv current.backup management.backup; mv data/store damaged-store';
        },
        '--data-dir data --to-etcd-servers http://127.0.0.1:2379': async () => {
          etcd = await startEtcd();
          return `--data-dir data --to-etcd-servers ${etcd.endpoint}`;
        },
        '--etcd-servers http://127.0.0.1:2379 --to-data-dir data': () =>
          `--etcd-servers ${etcd?.endpoint} --to-data-dir copied`,
      },
    });
    await reader.server.restart();
  });

  test('docs/encryption.md', async () => {
    const rotated = await reader.run('management-apiserver encryption rotate --data-dir data');
    expect(rotated).toMatchObject({ status: 0 });
    const file = readFileSync(at('encryption.key'), 'utf8');
    await client(reader.server).send('POST', '/api/v1/namespaces', { metadata: { name: 'management' } });
    const encoded = { 'encryption.key': Buffer.from(file).toString('base64') };
    await create('/api/v1/namespaces/management/secrets', KEYS, encoded);
    await follow(reader, 'docs/encryption.md', {
      words: {
        'secrets/NAME': async () => `configmaps/${await damaged()}`,
        'host-a': hostname(),
        '/home/me/.config/management-apiserver/encryption.key': at('encryption.key'),
        // Said again when fewer are left.
        'by the server\ndone': 'by the server…\ndone',
        // The server has its own of this name here.
        '> encryption.key': '> new.key',
        '--from-file=encryption.key': '--from-file=encryption.key=new.key',
      },
    });
    const path = `/api/v1/namespaces/management/secrets/${KEYS}`;
    const { data } = JSON.parse((await client(reader.server).send('GET', path)).text) as {
      data: typeof encoded;
    };
    const [added = '', ...before] = Buffer.from(data['encryption.key'], 'base64').toString().split('\n');
    expect([Buffer.from(added, 'base64').length, before.join('\n')]).toEqual([32, file]);
  });

  /** The name of a ConfigMap whose record the disk has changed. */
  async function damaged(): Promise<string> {
    await create('/api/v1/namespaces/default/configmaps', 'damaged', { text: 'planted' });
    await reader.server.stop();
    const file = at('data', 'store', 'data.mdb');
    const bytes = readFileSync(file);
    for (let found = bytes.indexOf('planted'); found >= 0; found = bytes.indexOf('planted', found))
      bytes[found] = 'P'.charCodeAt(0);
    writeFileSync(file, bytes);
    await reader.server.restart();
    return 'damaged';
  }
});
