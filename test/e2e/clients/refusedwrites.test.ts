/** The real kubectl shows why a write was refused, even if the server did not read its body. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execute, describeKubectl } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

describeKubectl('oldest and newest', (path) => {
  let server: ServerFixture;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.remove());

  test.each([
    ['small', 2, ['--token=mk_unknown'], 'access key not found'],
    ['large', 500_000, ['--token=mk_unknown'], 'access key not found'],
    ['small', 2, ['--as=nobody'], 'User "nobody" cannot create resource "users"'],
    ['large', 500_000, ['--as=nobody'], 'User "nobody" cannot create resource "users"'],
  ])('a %s body of %d bytes, with %j', (name, size, who, message) => {
    const file = join(server.directory, `${name}.json`);
    writeFileSync(file, '{}'.padEnd(size));
    const identity = who.some((flag) => flag.startsWith('--token'))
      ? ['--kubeconfig=/dev/null', `--server=${server.url}`, '--insecure-skip-tls-verify', ...who]
      : [`--kubeconfig=${server.kubeconfig}`, ...who];
    const users = '/apis/management.svc.example/v1/users';
    for (let time = 0; time < 5; time += 1) {
      const { code, err } = execute(path, [...identity, 'create', '--raw', users, '-f', file], {
        env: { HOME: server.directory },
      });
      expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    }
  });
});
