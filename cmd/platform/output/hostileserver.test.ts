/** A server that answers with commands for terminals: they reach none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { platformCli } from '../../../test/fixtures/platformcli.js';
import type { PlatformCli, Run } from '../../../test/fixtures/platformcli.js';
import type { StubServer } from '../../../test/fixtures/stubserver.js';
import { startStub } from '../../../test/fixtures/stubserver.js';

const EVIL = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\r\b\u007f';
const COMMANDS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

let stub: StubServer;
let cli: PlatformCli;
let directory: string;
let kubeconfig: string;

beforeAll(async () => {
  stub = await startStub((request, response) => {
    const say = (code: number, body: object): void => {
      response.writeHead(code, { warning: '299 - "\u009b2J\\"evil\\""' }).end(JSON.stringify(body));
    };
    if (request.url?.startsWith('/version') === true) return say(200, { gitVersion: EVIL });
    if (request.url?.includes('clusters') === true) return say(403, { message: EVIL });
    if (request.headers.accept?.includes('as=Table') === true)
      return say(200, {
        kind: 'Table',
        columnDefinitions: [{ name: EVIL, type: 'string', priority: 0 }],
        rows: [{ cells: [EVIL] }],
      });
    return say(200, { kind: EVIL, metadata: { name: EVIL }, spec: { data: {} }, items: [] });
  });
  cli = platformCli();
  directory = mkdtempSync(join(tmpdir(), 'hostile-server-'));
  kubeconfig = join(directory, 'kubeconfig');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      {
        name: 'c',
        cluster: {
          server: stub.url,
          'certificate-authority-data': Buffer.from(stub.authority).toString('base64'),
        },
      },
    ],
    users: [{ name: 'u', user: { token: 't' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
});
afterAll(async () => {
  await stub.stop();
  cli.remove();
  rmSync(directory, { recursive: true });
});

test.each([
  ['version'],
  ['list', 'secrets'],
  ['list', 'clusters'],
  ['get', 'secret', 'x', '-o', 'json'],
  ['get', 'secret', 'x', '-o', 'yaml'],
  ['doctor'],
])('%s %s %s %s', async (...args) => {
  const { stdout, stderr }: Run = await cli.run(['--kubeconfig', kubeconfig, ...args]);
  expect(stdout + stderr).not.toBe('');
  expect(stdout).not.toMatch(COMMANDS);
  expect(stderr).not.toMatch(COMMANDS);
});
