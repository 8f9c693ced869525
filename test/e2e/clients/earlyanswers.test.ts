/** The real kubectl shows responses that the server sent before it had read the body, over HTTP/1.1 and HTTP/2. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { answerEarly } from '../../../pkg/server/listener/rejectearly.js';
import type { Handler } from '../../../pkg/server/httpexchange.js';
import { listen, type Listener } from '../../../pkg/server/listener/listener.js';
import { issueAuthority, issueServing } from '../../../pkg/pki/issue.js';
import { refusingWhileShuttingDown } from '../../../pkg/server/filters/shutdown.js';
import { describeKubectl } from '../../fixtures/program.js';

// An older kubectl may request the version of the server first.
const PROTOCOLS = [
  ['HTTP/2', {}],
  ['HTTP/1.1', { DISABLE_HTTP2: '1' }],
] as const;

const refusing = refusingWhileShuttingDown(() => stopping);
const handler: Handler = async (exchange) => {
  if (refusing(exchange)) return;
  const headers = { 'Retry-After': '1', 'Content-Type': 'text/plain' };
  answerEarly(exchange, 429, headers, Buffer.from('Too many requests, please try again later.\n'));
};
let stopping = false;
let listener: Listener;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'early-answers-'));
  const { key, certificate } = await issueServing(await issueAuthority('test'), ['127.0.0.1']);
  const tls = { key, cert: certificate };
  const failed = (error: unknown): void => void failures.push(error);
  listener = await listen({
    address: '127.0.0.1',
    port: 0,
    tls,
    clientCertificates: false,
    handler,
    failed,
  });
});
afterAll(async () => {
  await listener.drain(0);
  rmSync(directory, { recursive: true });
});
const failures: unknown[] = [];

function kubectl(path: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const identity = ['--kubeconfig=/dev/null', `--server=https://127.0.0.1:${listener.port}`];
  const all = [...identity, '--insecure-skip-tls-verify', '--token=x', ...args];
  return new Promise((resolve) => {
    execFile(path, all, { env: { ...process.env, HOME: directory, ...env } }, (_error, _out, err) =>
      resolve(err),
    );
  });
}

describeKubectl('newest', (path) => {
  describe.each(PROTOCOLS)('%s', (_name, env) => {
    test.each([
      ['a small body', 2, true, 'apiserver is shutting down'],
      ['a large body', 2_500_000, true, 'apiserver is shutting down'],
      ['a small body', 2, false, 'asked us to try again later'],
      ['a large body', 2_500_000, false, 'asked us to try again later'],
    ])('%s of %d bytes, shutting down: %j', async (_body, size, isStopping, message) => {
      stopping = isStopping;
      const file = join(directory, `${size}.json`);
      writeFileSync(file, '{}'.padEnd(size));
      const uri = '/apis/management.svc.example/v1/users';
      for (let time = 0; time < 5; time += 1) {
        const said = await kubectl(path, ['create', '--raw', uri, '-f', file], env);
        expect(said).toContain(message);
      }
      expect(failures).toEqual([]);
    });
  });
});
