/**
 * Long requests do not outlive their credentials and rights either: lists that are read slowly, bodies that are sent
 * slowly, watches of members of projects and teams, and requests with a client certificate that expires.
 */
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect, constants } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, allow, type Actor } from '../../fixtures/clients/impersonation.js';
import { makeAuthority, makeClient, type Identity } from '../../fixtures/clients/clientcertificates.js';
import { etcdIsThere } from '../../fixtures/stores/etcd.js';
import { openWatch, type OpenWatch } from '../../fixtures/clients/openwatch.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { startTwoOnEtcd } from '../../fixtures/servers/serversonetcd.js';
import { eventually, onThisMachine } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const PROJECT = `${API}/namespaces/loft-p-web/projectsecrets`;
/** The maximum time until a request ends, in ms. */
const ENDS_WITHIN_MS = onThisMachine(2_000);
/** More data than socket buffers hold. */
const COUNT = 16;
const BYTES = 900_000;

type Servers = readonly [ServerFixture, ...ServerFixture[]];
/** Two replicas if there is etcd. */
async function startServers(flags: readonly string[]): Promise<{ servers: Servers; stop(): Promise<void> }> {
  if (etcdIsThere()) return startTwoOnEtcd({ flags });
  const server = await startServer({ flags });
  return { servers: [server], stop: () => server.remove() };
}

/** A list whose first bytes were read. The rest is read only by `rest`. */
interface SlowList {
  /** Reads the rest; whether the response is complete. */
  rest(): Promise<boolean>;
}

let servers: Servers;
let stop: () => Promise<void>;
let admin: Actor;
let authority: Identity;
/** The URL for the requests: another replica than the one at which changes are made, if there is one. */
let url: string;

const must = async (method: string, path: string, body?: unknown): Promise<Record<string, never>> => {
  const answer = await admin.send<Record<string, never>>(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer.body;
};
async function keyed(name: string): Promise<Record<string, string>> {
  await must('POST', `${API}/users`, { metadata: { name }, spec: {} });
  await allow(servers[0], name, 'default', { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] });
  const made = await must('POST', `${API}/ownedaccesskeys`, { metadata: { name }, spec: { user: name } });
  return { authorization: `Bearer ${(made.spec as unknown as { key: string }).key}` };
}

beforeAll(async () => {
  authority = await makeAuthority('people');
  const file = join(tmpdir(), `people-${process.pid}.crt`);
  writeFileSync(file, authority.certificate);
  ({ servers, stop } = await startServers([`--client-ca-file=${file}`]));
  url = (servers.at(-1) as ServerFixture).url;
  admin = impersonating(servers[0]);
  const data = { a: 'x'.repeat(BYTES) };
  for (let at = 0; at < COUNT; at += 1) await must('POST', MAPS, { metadata: { name: `m${at}` }, data });
});
afterAll(() => stop());

const slowly1 = (path: string, headers: Record<string, string>): Promise<SlowList> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { headers, agent: false, rejectUnauthorized: false });
    sent.once('error', reject).once('response', (response: IncomingMessage) => {
      sent.removeListener('error', reject).on('error', () => undefined);
      response.once('readable', () =>
        resolve({
          rest: () =>
            new Promise((done) => {
              response.on('error', () => undefined).once('close', () => done(response.complete));
              response.resume();
            }),
        }),
      );
    });
    sent.end();
  });

const slowly2 = (path: string, headers: Record<string, string>): Promise<SlowList> =>
  new Promise((resolve, reject) => {
    const session = connect(url, { rejectUnauthorized: false });
    session.once('error', reject);
    const stream = session.request({ ':path': path, ...headers });
    stream.on('error', () => undefined).pause();
    // A stream that is reset is closed even if nobody reads it.
    const whole = new Promise<boolean>((done) => {
      stream.once('close', () => {
        session.destroy();
        done(stream.rstCode === constants.NGHTTP2_NO_ERROR);
      });
    });
    stream.once('response', () => {
      resolve({
        rest: () => {
          stream.resume();
          return whole;
        },
      });
    });
  });

test.each([
  ['HTTP/1.1', slowly1],
  ['HTTP/2', slowly2],
] as const)('a list that is read slowly breaks off with the key and the right: %s', async (how, open) => {
  const id = `slow-${how === 'HTTP/2' ? 2 : 1}`;
  const [headers, others] = [await keyed(id), await keyed(`${id}-kept`)];
  const right = await keyed(`${id}-right`);
  const lists = await Promise.all([open(MAPS, headers), open(MAPS, right), open(MAPS, others)]);
  await must('DELETE', `${API}/ownedaccesskeys/${id}`);
  const { items } = (await must('GET', `${RBAC}/namespaces/default/rolebindings`)) as unknown as {
    items: { metadata: { name: string }; subjects: { name: string }[] }[];
  };
  const bound = items.find(({ subjects }) => subjects[0]?.name === `${id}-right`);
  await must('DELETE', `${RBAC}/namespaces/default/rolebindings/${bound?.metadata.name}`);
  await new Promise((resolve) => setTimeout(resolve, ENDS_WITHIN_MS));
  expect(await Promise.all(lists.map((list) => list.rest()))).toEqual([false, false, true]);
});

test('a slow body creates nothing once the key has ended', async () => {
  const [headers, others] = [await keyed('trickle'), await keyed('trickle-kept')];
  const begin = (name: string, by: Record<string, string>) => {
    const body = JSON.stringify({ metadata: { name }, data: { a: 'b' } });
    const sent = request(`${url}${MAPS}`, {
      method: 'POST',
      agent: false,
      rejectUnauthorized: false,
      headers: { ...by, 'content-type': 'application/json', 'content-length': body.length },
    });
    const answer = new Promise<number>((resolve) => {
      sent.once('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.on('error', () => resolve(401));
    });
    sent.write(body.slice(0, 20));
    return { answer, rest: () => void sent.end(body.slice(20)) };
  };
  const [late, kept] = [begin('late', headers), begin('kept', others)];
  await new Promise((resolve) => setTimeout(resolve, 300));
  await must('DELETE', `${API}/ownedaccesskeys/trickle`);
  await new Promise((resolve) => setTimeout(resolve, ENDS_WITHIN_MS));
  late.rest();
  kept.rest();
  expect(await Promise.all([late.answer, kept.answer])).toEqual([401, 201]);
  expect((await admin.send('GET', `${MAPS}/late`)).status).toBe(404);
  expect((await admin.send('GET', `${MAPS}/kept`)).status).toBe(200);
});

test('a watch ends with the client certificate that it was opened with', async () => {
  await allow(servers[0], 'certified', 'default', { apiGroups: [''], resources: ['*'], verbs: ['*'] });
  const seconds = 4;
  const identity = await makeClient(authority, 'certified', { to: seconds / 3600 });
  const ends = performance.now() + seconds * 1000;
  const longer = await makeClient(authority, 'certified');
  const open = ({ certificate: cert, key }: Identity, transport: 'HTTP/1.1' | 'HTTP/2' | 'WebSocket') =>
    openWatch(url, `${MAPS}?watch=1&fieldSelector=metadata.name%3Dnone`, {
      headers: {},
      transport,
      tls: { cert, key },
    });
  const watches = await Promise.all(
    (['HTTP/1.1', 'HTTP/2', 'WebSocket'] as const).map((transport) => open(identity, transport)),
  );
  const control = await open(longer, 'HTTP/1.1');
  await allEnd(watches);
  // The expiry of a certificate has a precision of a second.
  const late = Math.max(...watches.map((one) => one.endedAt() ?? Infinity)) - ends;
  expect(late).toBeGreaterThan(-1_500);
  expect(control.endedAt()).toBeUndefined();
  control.stop();
});

test('watches end with the membership of a project, and of a team that is a member', async () => {
  const members = (...names: string[]): object[] =>
    names.map((name) => ({
      kind: name === 'crew' ? 'Team' : 'User',
      name,
      clusterRole: 'management-project-admin',
    }));
  const spec = { members: members('mia', 'max', 'crew') };
  await must('POST', `${API}/teams`, { metadata: { name: 'crew' }, spec: { users: ['tim', 'tia'] } });
  for (const name of ['mia', 'max', 'tim', 'tia'])
    await must('POST', `${API}/users`, { metadata: { name }, spec: {} });
  await must('POST', `${API}/projects`, { metadata: { name: 'web' }, spec });
  const watchesOf = async (name: string): Promise<OpenWatch[]> => {
    const metadata = { name: `w-${name}` };
    const made = await must('POST', `${API}/ownedaccesskeys`, { metadata, spec: { user: name } });
    const headers = { authorization: `Bearer ${(made.spec as unknown as { key: string }).key}` };
    const paths = [`${PROJECT}?watch=1`, `${API}/projects?watch=1`];
    return Promise.all(paths.map((path) => openWatch(url, path, { headers })));
  };
  const [mia, max, tim, tia] = await Promise.all(['mia', 'max', 'tim', 'tia'].map(watchesOf));
  const after = async (what: () => Promise<unknown>, ended: OpenWatch[] = [], secret = ''): Promise<void> => {
    await what();
    await must('POST', PROJECT, { metadata: { name: secret }, spec: { data: { a: 'eA==' } } });
    await allEnd(ended);
    for (const one of ended) expect(one.text()).not.toContain(secret);
  };
  await after(
    () => must('PATCH', `${API}/projects/web`, { spec: { members: members('max', 'crew') } }),
    mia,
    'after-mia',
  );
  await after(() => must('PATCH', `${API}/teams/crew`, { spec: { users: ['tia'] } }), tim, 'after-tim');
  await eventually('what the others see', () =>
    Promise.resolve([max, tia].every((one) => one?.[0]?.text().includes('after-tim') === true)),
  );
  await after(
    () => must('PATCH', `${API}/projects/web`, { spec: { members: members('max') } }),
    tia,
    'after-tia',
  );
  await eventually('what is left', () => Promise.resolve(max?.[0]?.text().includes('after-tia') === true));
  for (const one of max ?? []) one.stop();
});

const allEnd = (watches: readonly OpenWatch[]): Promise<unknown> =>
  eventually('their end', () => Promise.resolve(watches.every((one) => one.endedAt() !== undefined)));
