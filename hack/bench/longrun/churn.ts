/** What the long run does: leases renewed, secrets rotated, and keys, users, secrets and ConfigMaps made and ended. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, must, type Call, type Client, type Endpoint } from '../client.js';
import { createHttp2Client } from '../http2client.js';
import { createConfigMap, dataOf, nameOf, objectBody, pathOf } from '../objects.js';
import type { Job, Pace } from './pace.js';

export const NAMESPACE = 'long-run';
const LEASES = 50;
const SECRETS = 200;
/** A tenth of the keys end by it, while they are used. */
const TTL_SECONDS = 60;
const LONGEST_LIFE_MS = 5_000;

const MANAGEMENT = '/apis/management.svc.example/v1';
const LEASES_PATH = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const CONFIG_MAPS_PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });

const RBAC = 'rbac.authorization.k8s.io';
/** What the users of keys may watch. */
const VIEWERS = {
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'viewers' },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
  subjects: [{ apiGroup: RBAC, kind: 'Group', name: 'management:authenticated' }],
};

export interface Churn {
  readonly endpoint: Endpoint;
  readonly client: Client;
  readonly pace: Pace;
  /** Writes that were answered with success. */
  writes: number;
  /** Numbers what is made. */
  next: number;
  /** Keys that are not ended yet, with their watches. */
  readonly endings: Set<Promise<void>>;
  readonly failures: string[];
}

const random = (below: number): number => Math.floor(Math.random() * below);
const managed = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'management.svc.example/v1', kind, metadata: { name }, spec });

async function write(churn: Churn, call: Call): Promise<Buffer> {
  await churn.pace.turn();
  const { body } = await must(churn.client, call);
  churn.writes += 1;
  return body;
}

const remove = (churn: Churn, path: string): Promise<Buffer> => write(churn, { method: 'DELETE', path });
const patch = (churn: Churn, path: string, body: object): Promise<Buffer> =>
  write(churn, {
    method: 'PATCH',
    path,
    contentType: 'application/merge-patch+json',
    body: JSON.stringify(body),
  });

/** What is there before and all the time. */
export async function prepare(client: Client): Promise<void> {
  const post = (path: string, body: string) => must(client, { method: 'POST', path, body });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await post('/api/v1/namespaces', JSON.stringify(namespace));
  await post(
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`,
    JSON.stringify(VIEWERS),
  );
  for (let at = 0; at < LEASES; at += 1) {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: `lease-${at}` } };
    await post(LEASES_PATH, JSON.stringify({ ...lease, spec: { holderIdentity: 'long-run' } }));
  }
  for (let at = 0; at < SECRETS; at += 1)
    await post(pathOf(NAMESPACE), objectBody(NAMESPACE, nameOf(at), at));
}

async function renewLease(churn: Churn): Promise<void> {
  const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`;
  await patch(churn, `${LEASES_PATH}/lease-${random(LEASES)}`, { spec: { renewTime } });
}

async function rotateSecret(churn: Churn): Promise<void> {
  const data = dataOf(NAMESPACE, randomBytes(8).toString('hex'));
  await patch(churn, pathOf(NAMESPACE, nameOf(random(SECRETS))), { spec: { data } });
}

async function secretLife(churn: Churn): Promise<void> {
  const name = `made-${(churn.next += 1)}`;
  await write(churn, { method: 'POST', path: pathOf(NAMESPACE), body: objectBody(NAMESPACE, name, 0) });
  await remove(churn, pathOf(NAMESPACE, name));
}

async function configMapLife(churn: Churn): Promise<void> {
  const index = (churn.next += 1);
  await churn.pace.turn();
  await createConfigMap(churn.client, NAMESPACE, index);
  churn.writes += 1;
  await remove(churn, `${CONFIG_MAPS_PATH}/${nameOf(index)}`);
}

/** Someone with a key watches; the key is ended, and its watch with it. */
async function keyLife(churn: Churn): Promise<void> {
  const name = `made-${(churn.next += 1)}`;
  const user = `${MANAGEMENT}/users/${name}`;
  const path = `${MANAGEMENT}/ownedaccesskeys/${name}`;
  await write(churn, {
    method: 'POST',
    path: `${MANAGEMENT}/users`,
    body: managed('User', name, { username: name }),
  });
  const made = await write(churn, {
    method: 'POST',
    path: `${MANAGEMENT}/ownedaccesskeys`,
    body: managed('OwnedAccessKey', name, { user: name, ttl: TTL_SECONDS }),
  });
  const token = /"key":"([^"]+)"/.exec(made.toString())?.[1];
  if (token === undefined) throw new Error(`${path}: created without a key`);
  const { ended, close } = await watchWith({ ...churn.endpoint, token });
  const wayToEnd = random(10);
  const end = async (): Promise<void> => {
    if (wayToEnd > 0) await sleep(random(LONGEST_LIFE_MS));
    if (wayToEnd > 6) await patch(churn, path, { spec: { disabled: true } });
    if (wayToEnd > 3) await remove(churn, path);
    if (wayToEnd > 0) await remove(churn, user);
    await within(TTL_SECONDS + 30, ended, `the watch with ${name}`);
    close();
    if (wayToEnd === 0) await remove(churn, user);
  };
  const ending = end().catch((error: unknown) => void churn.failures.push(String(error)));
  churn.endings.add(ending);
  void ending.then(() => churn.endings.delete(ending));
}

/** Over a connection of its own, of either protocol. `ended` resolves when the server ends the watch. */
async function watchWith(own: Endpoint): Promise<{ ended: Promise<unknown>; close: () => void }> {
  const watch = { path: `${CONFIG_MAPS_PATH}?watch=1&resourceVersion=0` };
  const review = { method: 'POST', path: REVIEWS, body: REVIEW };
  if (random(2) === 0) {
    const client = createHttp2Client(own, 1);
    const { code } = await client.send(review);
    const stream = await client.follow(watch, () => undefined);
    if (code !== 201 || stream.code !== 200) throw new Error(`a new key got ${code} and ${stream.code}`);
    return { ended: stream.ended, close: () => client.close() };
  }
  const client = createClient(own, 2);
  await must(client, review);
  const stream = await client.open(watch);
  if (stream.statusCode !== 200) throw new Error(`a new key got ${stream.statusCode} for a watch`);
  const ended = new Promise((resolve) => stream.once('close', resolve));
  stream.on('error', () => undefined).resume();
  return { ended, close: () => client.close() };
}

async function within(seconds: number, what: Promise<unknown>, name: string): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(seconds * 1_000, 'late', { signal: timeout.signal }).catch(() => undefined);
  if ((await Promise.race([what, late])) === 'late') throw new Error(`${name} did not end in ${seconds} s`);
  timeout.abort();
}

/** Of a hundred jobs; leases are renewed most. */
const JOBS: readonly (readonly [number, (churn: Churn) => Promise<void>])[] = [
  [48, renewLease],
  [24, rotateSecret],
  [14, secretLife],
  [8, configMapLife],
  [6, keyLife],
];

/** Any of the jobs, by their shares. What fails is kept, and the run goes on. */
export function pickJob(churn: Churn): Job {
  let left = random(100);
  const found = JOBS.find(([share]) => (left -= share) < 0);
  const job = found?.[1] ?? renewLease;
  return () => job(churn).catch((error: unknown) => void churn.failures.push(String(error)));
}
