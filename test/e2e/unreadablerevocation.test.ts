/** A revoked token is not good again because the record of its revocation is damaged: neither at the server nor at an agent. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AgentProcess } from '../fixtures/agentprocess.js';
import { startAgent } from '../fixtures/agentprocess.js';
import type { Client } from '../fixtures/client.js';
import { client, eventsOf } from '../fixtures/client.js';
import type { Answer, ServerFixture } from '../fixtures/server.js';
import { fetchFrom, startServer } from '../fixtures/server.js';

const API = '/apis/management.svc.example/v1';
const TOKENS = `${API}/directclusterendpointtokens`;
const REVOCATIONS = `${API}/directclusterendpointtokenrevocations`;
/** In the one revocation that the store has, and in no other record. */
const DAMAGED = '"kind":"DirectClusterEndpointTokenRevocation"';

interface Token {
  readonly token: string;
  readonly id: string;
}
interface Revocation {
  readonly metadata: { readonly name: string };
}

let server: ServerFixture;
let admin: Client;
let agent: AgentProcess | undefined;
let revoked: Token;
let good: Token;

const parsed = <T>({ text }: Answer): T => JSON.parse(text) as T;

async function created(plural: string, name: string, spec: object): Promise<{ spec: { key: string } }> {
  const answer = await admin.send('POST', `${API}/${plural}`, { metadata: { name }, spec });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return parsed(answer);
}

async function tokenOf(key: string): Promise<Token> {
  const answer = await client(server, key).send('POST', TOKENS, { spec: { cluster: 'east' } });
  const { token } = parsed<{ status: { token: string } }>(answer).status;
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return { token, id: (JSON.parse(payload) as { jti: string }).jti };
}

beforeAll(async () => {
  server = await startServer();
  admin = client(server);
  await created('users', 'anna', {});
  await created('clusters', 'east', { access: [{ verbs: ['get'], users: ['anna'] }] });
  const { key } = (await created('ownedaccesskeys', 'anna', { user: 'anna' })).spec;
  [revoked, good] = [await tokenOf(key), await tokenOf(key)];
  expect((await admin.send('DELETE', `${TOKENS}/${revoked.id}`)).status).toBe(200);
  await server.kill();
  const file = join(server.directory, 'data', 'store', 'data.mdb');
  const bytes = readFileSync(file);
  // Old pages may have it, too.
  for (let at = bytes.indexOf(DAMAGED); at >= 0; at = bytes.indexOf(DAMAGED, at)) bytes[at + 1]! ^= 1;
  writeFileSync(file, bytes);
  await server.restart();
}, 60_000);
afterAll(async () => {
  await agent?.stop();
  await server?.remove();
});

test('lists and watches name what cannot be read, and a GET says that it cannot', async () => {
  const list = await admin.send('GET', REVOCATIONS);
  expect(list.headers.warning).toContain('cannot be read and is shown by name alone');
  const { items } = parsed<{ items: Revocation[] }>(list);
  expect(items.map(({ metadata }) => metadata.name)).toEqual([revoked.id]);
  expect(list.text).not.toContain('anna');
  const [event] = await eventsOf<Revocation>(admin, `${REVOCATIONS}?watch=1&resourceVersion=0`, 1);
  expect([event?.type, event?.object.metadata.name]).toEqual(['ADDED', revoked.id]);
  const metadata = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
  for (const accept of ['application/json;as=Table;v=v1;g=meta.k8s.io', metadata])
    expect((await admin.send('GET', REVOCATIONS, undefined, { accept })).text).toContain(revoked.id);
  const found = await admin.send('GET', `${REVOCATIONS}/${revoked.id}`);
  expect([found.status, found.text]).toEqual([500, expect.stringContaining('it is damaged')]);
});

test('an agent that starts then refuses the token, and no other', async () => {
  agent = await startAgent({
    ...{ cluster: 'east', managementKubeconfig: server.kubeconfig, kubeconfig: server.kubeconfig },
  });
  const { url } = agent;
  const statuses = [revoked, good].map(
    async ({ token }) => (await fetchFrom(`${url}/kubernetes/cluster/version`, { token })).status,
  );
  expect(await Promise.all(statuses)).toEqual([401, 200]);
}, 30_000);
