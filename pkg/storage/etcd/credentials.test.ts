/**
 * The client certificates for etcd, and the certificates of etcd, are replaced under load: without a restart of the
 * engine, and without failed requests.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../../test/fixtures/stores/etcd.js';
import { makeCertificates, type Certificates } from '../../../test/fixtures/stores/etcdcertificates.js';
import { eventually } from '../../../test/fixtures/wait.js';
import { ALL, commitOne, put } from '../testing/conformance/case.js';
import { readWatch } from '../testing/conformance/reader.js';
import type { Storage } from '../interface.js';
import { credentialFiles, type CredentialFiles, type Credentials } from './credentials.js';
import { openEtcd } from './open.js';

const WRITERS = 4;

let directory: string;
let next: Certificates;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'credentials-'));
  next = makeCertificates(folder('next'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function folder(name: string): string {
  const path = join(directory, name);
  mkdirSync(path);
  return path;
}

(etcdIsThere() ? describe : describe.skip)('with etcd under load', () => {
  let etcd: EtcdFixture;
  let storage: Storage | undefined;
  let load: Load | undefined;
  afterEach(async () => {
    await load?.stop();
    await storage?.close();
    await etcd?.stop();
  });

  test('both sides switch to certificates of another authority', async () => {
    etcd = await startEtcd({ tls: true });
    const first = etcd.certificates as Certificates;
    const authorities = [first, next].map(({ caFile }) => readFileSync(caFile, 'utf8')) as [string, string];
    // etcd reads its trusted CAs at its start, and its certificate for each connection.
    writeFileSync(first.caFile, authorities.join(''));
    await etcd.restart();
    const [caFile, certFile, keyFile] = ['ca', 'crt', 'key'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(caFile, authorities.join(''));
    copyFileSync(first.clientCertFile, certFile);
    copyFileSync(first.clientKeyFile, keyFile);
    const told: (string | undefined)[] = [];
    const files = { caFile, certFile, keyFile };
    const options = {
      endpoints: [etcd.endpoint],
      prefix: '/p/',
      ...files,
      listener: { certificates: (problem?: string) => void told.push(problem) },
    };
    // A busy machine may need longer than the timeout of an open.
    storage = await eventually('the store', () => openEtcd(options).catch(() => undefined));
    const after = await storage.currentRevision();
    const watch = storage.watch(ALL, { after });
    const reader = readWatch(watch, after);
    load = startLoad(storage);

    copyFileSync(next.serverKeyFile, first.serverKeyFile);
    copyFileSync(next.serverCertFile, first.serverCertFile);
    writeFileSync(keyFile, 'half');
    await eventually('that it is told of', async () => told.length > 0);
    expect(told).toEqual(['--etcd-keyfile is not PEM of what it must be']);
    copyFileSync(next.clientKeyFile, keyFile);
    copyFileSync(next.clientCertFile, certFile);
    await eventually('the use of both', async () => told.includes(undefined));
    await load.more(100);

    // From now on, either side refuses the former certificates.
    const before = told.length;
    writeFileSync(caFile, authorities[1]);
    await eventually('the use of the new authority', async () => told.length > before);
    writeFileSync(first.caFile, authorities[1]);
    await etcd.restart();
    await load.more(100);
    const { failures, written } = await load.stop();
    expect(failures).toEqual([]);
    const events = await reader.until(await storage.currentRevision());
    expect(events).toHaveLength(written);
    watch.cancel();
  });
});

type Load = ReturnType<typeof startLoad>;

/** Writers that read what they wrote. */
function startLoad(storage: Storage) {
  const failures: unknown[] = [];
  let written = 0;
  let stopped = false;
  const write = async (writer: number): Promise<void> => {
    for (let step = 0; !stopped; step++)
      try {
        const revision = await commitOne(storage, put(`w${writer}/${step}`, 'x', 'absent'));
        written++;
        expect((await storage.get(`w${writer}/${step}`)).record?.revision).toBe(revision);
        await storage.currentRevision();
      } catch (error) {
        failures.push(error);
      }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  return {
    /** Resolves when this number of further writes succeeded. */
    more: async (count: number): Promise<void> => {
      const until = written + count;
      await eventually('more writes', async () => written >= until);
    },
    stop: async () => {
      stopped = true;
      await Promise.all(writers);
      return { failures, written };
    },
  };
}

describe('certificate files', () => {
  let place: string;
  let count = 0;
  let files: CredentialFiles | undefined;
  const changed: Credentials[] = [];
  const unusable: string[] = [];
  beforeEach(() => {
    place = folder(`files-${count++}`);
    changed.length = unusable.length = 0;
  });
  afterEach(() => files?.stop());
  const endpoints = ['https://127.0.0.1:1'];
  const told = {
    changed: (credentials: Credentials) => void changed.push(credentials),
    unusable: (reason: string) => void unusable.push(reason),
  };

  test('are reloaded when they change, a certificate together with its key', async () => {
    const other = makeCertificates(folder('other'));
    const [certFile, keyFile] = [join(place, 'crt'), join(place, 'key')];
    copyFileSync(next.clientCertFile, certFile);
    copyFileSync(next.clientKeyFile, keyFile);
    files = credentialFiles({ endpoints, certFile, keyFile }, told);
    await files.reload();
    copyFileSync(other.clientCertFile, certFile);
    for (let nth = 0; nth < 2; nth++) await files.reload();
    expect([changed, unusable]).toEqual([[], ['--etcd-keyfile is not the key of --etcd-certfile']]);
    expect(files.current?.certChain).toEqual(readFileSync(next.clientCertFile));
    copyFileSync(other.clientKeyFile, keyFile);
    await files.reload();
    expect(changed).toEqual([files.current]);
    expect(files.current?.certChain).toEqual(readFileSync(other.clientCertFile));
    rmSync(keyFile);
    await files.reload();
    expect([changed.length, unusable.length]).toEqual([1, 1]);
  });

  test('that are not PEM are reported without their content', async () => {
    const caFile = join(place, 'ca');
    copyFileSync(next.caFile, caFile);
    files = credentialFiles({ endpoints, caFile }, told);
    writeFileSync(caFile, 'secret');
    await files.reload();
    expect(unusable).toEqual(['--etcd-cafile is not PEM of what it must be']);
  });
});
