/** Names of quotas that nothing counts: many, long, and those of JavaScript's objects. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const PROJECTS = '/apis/management.svc.example/v1/projects';
const MAX_ANSWER_BYTES = 256 * 1024;

let server: ServerFixture;
let admin: Client;
beforeAll(async () => {
  server = await startServer();
  admin = client(server);
});
afterAll(() => server.remove());

const limits = (names: readonly string[]): string =>
  `{${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`;
const label = (at: number): string => `s${at}`.padEnd(63, 'e');

test.each([
  ['5,000', Array.from({ length: 5000 }, (_, at) => label(at))],
  ['long', Array.from({ length: 1000 }, (_, at) => `${label(at)}.${Array(60).fill('a').join('.')}`)],
  ['a megabyte', ['s'.repeat(1024 * 1024)]],
  ['inherited', ['__proto__', 'constructor', 'tostring', 'hasownproperty']],
])('%s names get a 422 of bounded size', async (_which, names) => {
  const body = `{"metadata":{"generateName":"p-"},"spec":{"quotas":{"objects":${limits(names)}}}}`;
  const { status, text } = await admin.send('POST', PROJECTS, body);
  expect(status).toBe(422);
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_ANSWER_BYTES);
  expect((await admin.send('GET', '/readyz')).status).toBe(200);
});
