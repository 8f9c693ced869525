import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../../test/fixtures/servers/server.js';
import { createClient } from '../client.js';
import type { Subject } from './row.js';
import { watchRow } from './watches.js';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

test('a row of watches can be prepared again, for its second comparison', async () => {
  const endpoint = { port: server.port, token: ADMIN_TOKEN };
  const target = { endpoint } as Subject['target'];
  const subject: Subject = {
    target,
    scale: 0.05,
    client: (connections) => createClient(endpoint, connections),
  };
  const row = watchRow({ name: 'two watches', watches: 2, pause: 0, http2: false });
  for (let comparison = 0; comparison < 2; comparison++) {
    const prepared = await row.prepare(subject);
    expect(await prepared.load()).toMatchObject({ operations: 20 });
    prepared.close();
  }
});
