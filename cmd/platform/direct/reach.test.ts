import { afterEach, expect, test } from '@jest/globals';
import { startStub, type StubServer } from '../../../test/fixtures/stubs/stubserver.js';
import { connectionTo, missingRights } from './reach.js';

let stub: StubServer;
afterEach(() => stub.stop());

/** What is missing where a cluster answers with these codes, one after the other. */
async function missingAfter(...codes: number[]): Promise<string | undefined> {
  const message = 'pods is forbidden: User "kim" cannot list resource "pods"';
  stub = await startStub((_request, response) => {
    response.writeHead(codes.shift() ?? 500).end(JSON.stringify({ kind: 'Status', message }));
  });
  const connection = await connectionTo({ server: stub.url, authority: stub.authority }, 'token', {});
  return missingRights(connection, { path: '', namespace: 'n' }, () => undefined);
}

test('rights that come a moment later are not missing', async () => {
  expect(await missingAfter(403, 200)).toBeUndefined();
  expect(stub.asked).toHaveLength(2);
});

test('rights that are there are asked for once', async () => {
  expect(await missingAfter(200)).toBeUndefined();
  expect(stub.asked).toHaveLength(1);
});

test('rights that do not come are missing', async () => {
  expect(await missingAfter(403, 403)).toContain('--clusterrole edit --user kim --namespace n');
});
