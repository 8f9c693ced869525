/**
 * Backups and logs of another cluster: files that do not belong together are refused with one line, and nothing is
 * changed.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formatKeyFile, newDataKey } from '../../../pkg/storage/encryption/keyfile.js';
import { client } from '../../fixtures/clients/client.js';
import { runKilled } from '../../fixtures/servers/killedcommand.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const SECRETS = '/api/v1/namespaces/default/secrets';

/** All clusters have the same keys, so that only the content of their files differs. */
interface Cluster {
  readonly server: ServerFixture;
  readonly backups: string;
  readonly keys: string;
  /** The flags that locate its store. */
  readonly from: readonly string[];
}
let one: Cluster;
let other: Cluster;

const run = (...argv: string[]): Promise<string> => runKilled(undefined, ...argv);
const refusal = (why: string): RegExp => new RegExp(`^1 management-apiserver: [^\\n]*${why}[^\\n]*\\n$`);

async function createSecret({ server }: Cluster, name: string): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { of: name } };
  expect((await client(server).send('POST', SECRETS, secret)).status).toBe(201);
}
async function namesIn(server: ServerFixture): Promise<readonly string[]> {
  const { text } = await client(server).send('GET', SECRETS);
  return (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );
}

/** Starts a cluster with a backup, and a log of two segments after it. */
async function startCluster(name: string): Promise<Cluster> {
  const server = await startServer();
  const backups = join(server.directory, 'backups');
  mkdirSync(backups);
  const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
  const cluster = { server, backups, keys, from: [`--data-dir=${join(server.directory, 'data')}`, keys] };
  await createSecret(cluster, `${name}-base`);
  expect(await run('backup', 'create', `${backups}/`, ...cluster.from)).toMatch(/^0 /);
  for (const more of ['first', 'second']) {
    await createSecret(cluster, `${name}-${more}`);
    expect(await run('backup', 'log', backups, ...cluster.from)).toMatch(/^0 /);
  }
  return cluster;
}
const filesOf = ({ backups }: Cluster): [string, string, string] =>
  readdirSync(backups)
    .sort()
    .map((name) => join(backups, name)) as [string, string, string];

beforeAll(async () => {
  one = await startCluster('one');
  other = await startCluster('other');
});
afterAll(async () => {
  await one?.server.remove();
  await other?.server.remove();
});

test('a log is not restored after the backup of another cluster, whatever its files are called', async () => {
  const [base] = filesOf(one);
  const [, first, second] = filesOf(other);
  const target = join(one.server.directory, 'mixed');
  const restore = (...files: string[]): Promise<string> =>
    run('restore', ...files, `--data-dir=${target}`, one.keys);
  const mixed = join(one.server.directory, 'mixed-backups');
  mkdirSync(mixed);
  copyFileSync(base, join(mixed, basename(base)));
  for (const [nth, file] of [first, second].entries())
    copyFileSync(file, join(mixed, `${basename(base, '.backup')}.log.00000${nth + 1}`));
  const [, own] = filesOf(one);
  for (const files of [[base, first], [base, own, second], [mixed]])
    expect(await restore(...files)).toMatch(refusal('is of the log of another backup'));
  expect(await run('backup', 'verify', mixed, one.keys)).toMatch(refusal('is of the log of another backup'));
  expect(existsSync(target)).toBe(false);
});

test('a log does not go on with the changes of another cluster', async () => {
  const before = filesOf(one).map((path) => readFileSync(path, 'base64'));
  expect(await run('backup', 'log', one.backups, ...other.from)).toMatch(
    refusal('another store, or of an older copy.*make a new backup'),
  );
  expect(filesOf(one).map((path) => readFileSync(path, 'base64'))).toEqual(before);
});

test('a backup of another cluster is not restored without its keys, nor over a store that is there', async () => {
  const wrong = join(one.server.directory, 'wrong.key');
  writeFileSync(wrong, formatKeyFile([newDataKey()]), { mode: 0o600 });
  const [base] = filesOf(other);
  const target = join(one.server.directory, 'wrong');
  expect(await run('restore', base, `--data-dir=${target}`, `--encryption-key-file=${wrong}`)).toMatch(
    refusal('give the keys that it was made with'),
  );
  expect(existsSync(target)).toBe(false);
  expect(await run('restore', base, ...one.from)).toMatch(refusal('in use by another process'));
  await one.server.stop();
  expect(await run('restore', base, ...one.from)).toMatch(
    refusal('the store is not empty.*nothing was changed'),
  );
  await one.server.restart();
  expect(await namesIn(one.server)).toEqual(['one-base', 'one-first', 'one-second']);
});

test('with its keys, and into an empty store, it is the other cluster that is restored', async () => {
  const data = join(one.server.directory, 'as-other');
  expect(await run('restore', other.backups, `--data-dir=${data}`, other.keys)).toMatch(/^0 restored /);
  // A server with the files of one cluster, on the store of the other.
  const server = await startServer({ flags: [`--data-dir=${data}`] });
  try {
    expect(await namesIn(server)).toEqual(['other-base', 'other-first', 'other-second']);
  } finally {
    await server.remove();
  }
  expect(await namesIn(one.server)).toEqual(['one-base', 'one-first', 'one-second']);
});
