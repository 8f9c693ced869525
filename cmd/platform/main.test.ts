/** The program as a process: what it says of a failure. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { platformCli, type PlatformCli } from '../../test/fixtures/clients/platformcli.js';
import { startStub, type StubServer } from '../../test/fixtures/stubs/stubserver.js';

const COMMANDS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const EVIL = '\u001b]0;owned\u0007\u009b31m\u202eevil';

let stub: StubServer;
let cli: PlatformCli;
let kubeconfig: string;
beforeAll(async () => {
  stub = await startStub((_request, response) => {
    response.writeHead(403).end(JSON.stringify({ message: EVIL, reason: EVIL }));
  });
  cli = platformCli();
  kubeconfig = join(cli.home, 'kubeconfig');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: stub.url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 't' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
});
afterAll(async () => {
  await stub.stop();
  cli.remove();
});

test.each(['list secrets', 'whoami', 'get secret x', 'delete project x --yes'])(
  'platform %s shows no command for terminals of a refusal',
  async (line) => {
    const { stdout, stderr, code } = await cli.run([...line.split(' '), '--kubeconfig', kubeconfig]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('evil');
    expect(stdout + stderr).not.toMatch(COMMANDS);
  },
);
