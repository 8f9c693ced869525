/**
 * Mutated requests, line, headers and body, written to the TLS port of the running server: what is answered is no 5xx
 * but 505, the answer to another version of HTTP, and the server goes on. `FUZZ_SECONDS` (4) bounds the time, `SEED` repeats a run.
 */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ADMIN_TOKEN, fetchFrom, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { mutated } from './mutations.js';

const SECONDS = Number(process.env.FUZZ_SECONDS ?? '4');
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };
const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
/** How long a connection without an answer is waited for; cut headers and bodies leave the server waiting. */
const SILENCE_MS = 50;

let server: ServerFixture;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

function request(method: string, path: string, contentType = '', body = ''): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${ADMIN_TOKEN}`];
  if (contentType !== '')
    lines.push(`content-type: ${contentType}`, `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from([...lines, 'connection: close', '', body].join('\r\n'));
}

const SECRET = '{"metadata":{"generateName":"a-","labels":{"a":"b"}},"spec":{"data":{"k":"dg=="}}}';

const SEEDS = [
  request('GET', `${SECRETS}?limit=2&labelSelector=a%20in%20(b)&resourceVersion=0`),
  request('GET', `${SECRETS}?watch=1&timeoutSeconds=1&resourceVersion=1`),
  request('GET', `${SECRETS}/a`, '', ''),
  request('GET', '/apis?x'),
  request('POST', `${SECRETS}?dryRun=All&fieldValidation=Strict`, 'application/json', SECRET),
  request('POST', SECRETS, 'application/yaml', 'metadata: {generateName: y-}\nspec:\n  data: {k: dg==}\n'),
  request('PUT', `${SECRETS}/a`, 'application/json', SECRET.replace('generateName', 'name')),
  request('PATCH', `${SECRETS}/a`, 'application/merge-patch+json', '{"spec":{"displayName":"x"}}'),
  request(
    'PATCH',
    `${SECRETS}/a`,
    'application/json-patch+json',
    '[{"op":"add","path":"/spec/x","value":1}]',
  ),
  request(
    'PATCH',
    `${SECRETS}/f?fieldManager=m&force=1`,
    'application/apply-patch+yaml',
    `{"kind":"SharedSecret"}`,
  ),
  request(
    'DELETE',
    `${SECRETS}/a`,
    'application/json',
    '{"gracePeriodSeconds":1,"preconditions":{"uid":"x"}}',
  ),
];

/** The first bytes that come back, as text; empty when the connection ends or stays silent. */
async function answerTo(input: Buffer): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return new Promise((resolve) => {
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(SILENCE_MS, done);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.once('error', done).once('close', done);
    socket.write(input);
  });
}

test('mutated requests get no 5xx and the server goes on', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(mutated(SEEDS), async (input) => {
      const text = await answerTo(input);
      if (text === '') return;
      answered += 1;
      expect(text).toMatch(/^HTTP\/1\.1 ([1234]\d\d|505) /);
    }),
    { ...SEED, numRuns: 1_000_000, interruptAfterTimeLimit: SECONDS * 1000, includeErrorInReport: true },
  );
  expect(answered).toBeGreaterThan(0);
  expect(server.isRunning()).toBe(true);
  expect((await fetchFrom(`${server.url}/readyz`)).text).toBe('ok');
  expect(server.log()).not.toContain('"level":"error"');
});
