/** A revoked token stays revoked if the record of its revocation is damaged, at the server and at an agent. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startAgent, type AgentProcess } from '../../fixtures/agents/agentprocess.js';
import { client, eventsOf, type Client } from '../../fixtures/clients/client.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const TOKENS = `${API}/directclusterendpointtokens`;
const REVOCATIONS = `${API}/directclusterendpointtokenrevocations`;
const IGNORE = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** A text that only the revocation in the store contains. */
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
let readable: Token;

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

async function names(): Promise<readonly string[]> {
  const { items } = parsed<{ items: Revocation[] }>(await admin.send('GET', REVOCATIONS));
  return items.map(({ metadata }) => metadata.name).sort();
}
const statusAt = async ({ url }: AgentProcess, { token }: Token): Promise<number> =>
  (await fetchFrom(`${url}/kubernetes/cluster/version`, { token })).status;

beforeAll(async () => {
  server = await startServer();
  admin = client(server);
  await created('users', 'anna', {});
  await created('clusters', 'east', { access: [{ verbs: ['get'], users: ['anna'] }] });
  const { key } = (await created('ownedaccesskeys', 'anna', { user: 'anna' })).spec;
  [revoked, good, readable] = [await tokenOf(key), await tokenOf(key), await tokenOf(key)];
  expect((await admin.send('DELETE', `${TOKENS}/${revoked.id}`)).status).toBe(200);
  await server.kill();
  const file = join(server.directory, 'data', 'store', 'data.mdb');
  const bytes = readFileSync(file);
  // Unused pages of the file may contain it, too.
  for (let at = bytes.indexOf(DAMAGED); at >= 0; at = bytes.indexOf(DAMAGED, at)) bytes[at + 1]! ^= 1;
  writeFileSync(file, bytes);
  await server.restart();
});
afterAll(async () => {
  await agent?.stop();
  await server?.remove();
});

test('lists and watches name the unreadable record, and a GET says that it is unreadable', async () => {
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
    cluster: 'east',
    managementKubeconfig: server.kubeconfig,
    kubeconfig: server.kubeconfig,
  });
  expect([await statusAt(agent, revoked), await statusAt(agent, good)]).toEqual([401, 200]);
});

test('it is not deleted by a plain DELETE, nor where it can be read', async () => {
  const plain = await admin.send('DELETE', `${REVOCATIONS}/${revoked.id}`);
  expect([plain.status, plain.text]).toEqual([500, expect.stringContaining('it is damaged')]);
  expect((await admin.send('DELETE', `${TOKENS}/${readable.id}`)).status).toBe(200);
  const read = await admin.send('DELETE', `${REVOCATIONS}/${readable.id}?${IGNORE}`);
  expect(read.status).toBe(405);
  const all = await admin.send('DELETE', `${REVOCATIONS}?${IGNORE}`);
  expect(all.status).toBe(405);
  expect(await names()).toEqual([revoked.id, readable.id].sort());
});

test('an administrator deletes it, and agents see that it is gone', async () => {
  const removed = await admin.send('DELETE', `${REVOCATIONS}/${revoked.id}?${IGNORE}`);
  expect([removed.status, removed.text]).toEqual([200, expect.stringContaining('Success')]);
  const list = await admin.send('GET', REVOCATIONS);
  expect(list.headers.warning).toBeUndefined();
  expect(await names()).toEqual([readable.id]);
  // As documented, a credential that only the damaged record ended before the token expired is valid again.
  const status = (): Promise<number> => statusAt(agent!, revoked);
  await eventually('the agent takes the token', async () => (await status()) === 200);
  const anna = await admin.send('PATCH', `${API}/users/anna`, { spec: { tokenGeneration: 1 } }, MERGE);
  expect([anna.status, anna.text]).toEqual([200, expect.anything()]);
  await eventually('it does no longer', async () => (await status()) === 401);
});
