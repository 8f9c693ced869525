/** A cluster that answers each request otherwise than the one before: the server does not ask and write without end. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { kubeconfigOf } from '../../fixtures/agents/manyclusters.js';
import { API, base64 } from '../../fixtures/agents/secretsteps.js';
import { impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { startStub, type StubServer } from '../../fixtures/stubs/stubserver.js';
import { eventually } from '../../fixtures/wait.js';

const SPACES = `${API}/namespaces/loft-p-web/spaceinstances`;
const INSTANCES = `${API}/namespaces/loft-p-web/virtualclusterinstances`;
const IMPORTED = { 'management.svc.example/is-imported': 'true' };
const LOOKED_MS = 1_500;
/** In that time a loop takes hundreds. */
const MOST = 20;

let server: ServerFixture;
let stub: StubServer;
let admin: Actor;
/** Of namespaces, one after the other. */
const CODES = [200, 500, 403];

let asked = 0;
/** Whether it is so of every path, not only of namespaces. */
let isOdd = false;

beforeAll(async () => {
  stub = await startStub((request, response) => {
    const { url = '' } = request;
    if (!url.startsWith('/api/v1/namespaces/') && !isOdd) return answer(response, 200);
    asked += 1;
    answer(response, CODES[asked % CODES.length] ?? 200);
  });
  server = await startServer({ controllers: '*' });
  admin = impersonating(server);
  const data = { config: base64(kubeconfigOf(stub.url, stub.authority)) };
  const secret = { metadata: { name: 'odd' }, data };
  expect((await admin.send('POST', '/api/v1/namespaces/management-system/secrets', secret)).status).toBe(201);
  const cluster = { metadata: { name: 'odd' }, spec: { config: { secretName: 'odd' } } };
  expect((await admin.send('POST', `${API}/clusters`, cluster)).status).toBe(201);
  const project = { metadata: { name: 'web' }, spec: { allowedClusters: [{ name: '*' }] } };
  expect((await admin.send('POST', `${API}/projects`, project)).status).toBe(201);
});
afterAll(async () => {
  await server?.remove();
  await stub?.stop();
});

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Namespace', metadata: {}, items: [], gitVersion: `v1.${asked}.0` }));
}

interface Space {
  readonly metadata: { readonly resourceVersion: string };
}

test.each([
  ['of the namespace of a space', false],
  ['of everything', true],
])('what it says %s is seldom asked for, and seldom written', async (_what, all) => {
  isOdd = all;
  const name = `s-${all}`;
  const space = { metadata: { name }, spec: { clusterRef: { cluster: 'odd' } } };
  const before = asked;
  expect((await admin.send('POST', SPACES, space)).status).toBe(201);
  const imported = { metadata: { name, annotations: IMPORTED }, spec: { clusterRef: { cluster: 'odd' } } };
  expect((await admin.send('POST', INSTANCES, imported)).status).toBe(201);
  await eventually('the cluster is asked', () => Promise.resolve(asked > before + 1));
  const revision = async (): Promise<number> =>
    Number((await admin.send<Space>('GET', SPACES)).body.metadata.resourceVersion);
  const [began, first] = [asked, await revision()];
  await sleep(LOOKED_MS);
  const found = { asked: asked - began, written: (await revision()) - first };
  expect([found, found.asked < MOST && found.written < MOST]).toEqual([found, true]);
});
