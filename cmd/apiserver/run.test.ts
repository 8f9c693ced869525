import { KeyObject, webcrypto } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import '../../pkg/pki/x509reflect.js';
import { createLog } from '../../pkg/server/logging/log.js';
import { tokenOf } from '../../pkg/pki/kubeconfig.js';
import { complete } from './options/complete.js';
import { makePlaces } from './options/directories.js';
import { readOptions } from './options/options.js';
import { run, type RunningServer } from './run.js';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'apiserver-'));
});
afterAll(() => rm(root, { recursive: true }));

let printed = '';
const quiet = createLog({ verbosity: 0, destination: { write: () => undefined } });

async function start(...argv: string[]): Promise<RunningServer> {
  const keys = ['--encryption-key-file', join(root, 'encryption.key')];
  const options = readOptions({
    argv: ['--secure-port=0', ...keys, ...argv],
    env: {},
    write: () => undefined,
  });
  if (options === undefined) throw new Error('no options');
  const config = complete(options);
  makePlaces(config.places);
  return await run(config, (text) => (printed += text), quiet);
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string | string[] | undefined>;
}

function call(
  server: RunningServer,
  path: string,
  token?: string,
  options: object = {},
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = request(
      `${server.url}${path}`,
      { ca: server.authority, agent: false, headers, ...options },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const tokenIn = async (path: string): Promise<string> => tokenOf(await readFile(path, 'utf8')) as string;

describe('a standalone server', () => {
  test('starts, serves, and keeps state and credentials across a restart', async () => {
    const data = join(root, 'data');
    const kubeconfig = join(root, 'admin.kubeconfig');
    const tokens = join(root, 'tokens.csv');
    await writeFile(tokens, 'viewer-token,viewer,viewer-uid\n');
    const flags = ['--data-dir', data, '--write-kubeconfig', kubeconfig, '--token-auth-file', tokens];
    printed = '';
    const first = await start(...flags);
    const admin = await tokenIn(kubeconfig);
    expect(printed).toBe(
      `Serving on ${first.url}\nTry: kubectl --kubeconfig ${kubeconfig} get sharedsecrets -A\n`,
    );
    expect(await call(first, '/readyz')).toMatchObject({ status: 200, text: 'ok' });
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
    expect(await call(first, '/api/v1/namespaces', admin, { method: 'POST' }, namespace)).toMatchObject({
      status: 201,
    });
    expect(await call(first, '/api/v1/namespaces/team', 'viewer-token')).toMatchObject({ status: 403 });
    expect(await call(first, '/api/v1/namespaces/team', 'mk_wrong')).toMatchObject({ status: 401 });
    expect(await call(first, '/apis')).toMatchObject({ status: 403 });
    expect(await call(first, '/apis', 'viewer-token')).toMatchObject({ status: 200 });
    expect(await call(first, '/metrics', 'viewer-token')).toMatchObject({ status: 403 });
    const metrics = await call(first, '/metrics', admin);
    expect(metrics.text).toContain(
      'apiserver_request_total{verb="POST",group="",version="v1",resource="namespaces",subresource="",scope="resource",component="apiserver",dry_run="",code="201"} 1',
    );
    expect(metrics.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    await first.stop();

    const second = await start(...flags);
    expect(await tokenIn(kubeconfig)).toBe(admin);
    expect(await call(second, '/api/v1/namespaces/team', admin)).toMatchObject({ status: 200 });
    await second.stop();
    for (const path of [kubeconfig, join(data, 'pki', 'apiserver.key')]) {
      expect((await stat(path)).mode & 0o077).toBe(0);
    }
  });

  test('stops with open watches over both protocols', async () => {
    const kubeconfig = join(root, 'stop.kubeconfig');
    const server = await start('--data-dir', join(root, 'stop'), '--write-kubeconfig', kubeconfig);
    const token = await tokenIn(kubeconfig);
    const path = '/api/v1/namespaces?watch=true';
    const agent = new Agent({ keepAlive: true });
    const first = call(server, path, token, { agent });
    const session = connect(server.url, { ca: server.authority });
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}` });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
    stream.resume();
    const ended = once(stream, 'end');
    await server.stop();
    await ended;
    expect(stream.rstCode).toBe(0);
    expect((await first).status).toBe(200);
    agent.destroy();
    await expect(call(server, '/readyz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('client certificates', () => {
  test('authenticate over both protocols, and are refused if of another authority', async () => {
    const [known, stranger] = await Promise.all([clientCertificate('ours'), clientCertificate('theirs')]);
    const file = join(root, 'client-ca.crt');
    await writeFile(file, known.authority);
    const server = await start('--data-dir', join(root, 'certificates'), '--client-ca-file', file);
    const path = '/api/v1/namespaces/default';
    for (const [pair, status] of [
      [known, 200],
      [stranger, 401],
    ] as const) {
      const tls = { key: pair.key, cert: pair.certificate };
      expect(await call(server, path, undefined, tls)).toMatchObject({ status });
      const session = connect(server.url, { ca: server.authority, ...tls });
      // Who is not known is told to go away after the first answer.
      for (let again = 0; again < (status === 200 ? 2 : 1); again += 1) {
        const [headers] = (await once(session.request({ ':path': path }), 'response')) as [
          Record<string, unknown>,
        ];
        expect(headers[':status']).toBe(status);
      }
      session.destroy();
    }
    await server.stop();
  });
});

/** A certificate of user `root` in `system:masters`, of an authority of its own. */
async function clientCertificate(
  authorityName: string,
): Promise<{ authority: string; certificate: string; key: string }> {
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const generate = () =>
    webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
  const [authorityKeys, keys] = await Promise.all([generate(), generate()]);
  const common = {
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    name: `CN=${authorityName}`,
    keys: authorityKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...common,
    subject: 'O=system:masters, O=ops, CN=root',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.2'])],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { authority: authority.toString('pem'), certificate: certificate.toString('pem'), key };
}

describe('a server does not start with', () => {
  test('a port in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const starting = start('--data-dir', join(root, 'port'), `--secure-port=${port}`);
    await expect(starting).rejects.toThrow(`cannot listen on 127.0.0.1 port ${port}: already in use`);
    holder.close();
  });

  test('a data directory in use, or a file in its place', async () => {
    const data = join(root, 'used');
    const server = await start('--data-dir', data);
    await expect(start('--data-dir', data)).rejects.toMatchObject({ name: 'StartError' });
    await server.stop();
    const file = join(root, 'file');
    await writeFile(file, '');
    await expect(start('--data-dir', file)).rejects.toMatchObject({ name: 'StartError' });
  });

  test('a kubeconfig that cannot be written', async () => {
    const data = join(root, 'unwritable');
    await expect(start('--data-dir', data, '--write-kubeconfig', root)).rejects.toMatchObject({
      name: 'StartError',
    });
    // Everything was closed again.
    await (await start('--data-dir', data)).stop();
  });

  test.each([
    ['--data-dir', '/proc/none/data'],
    ['--audit-log-path', '/proc/none/audit.log'],
    ['--audit-log-path', '/proc/audit.log'],
    ['--audit-log-path', tmpdir()],
  ])('%s %s, where nothing can be created', async (flag, path) => {
    const starting = start('--data-dir', join(root, 'places'), flag, path);
    await expect(starting).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(`${flag} ${path}: `),
    });
  });
});
