import { createHash } from 'node:crypto';
import { SharedSecret } from '../../api/management.svc.example/v1/sharedsecret.js';
import { must, type Client } from './client.js';
import { applyLoad } from './load.js';

const { group, version, plural, kind } = SharedSecret;
const SEEDING_CLIENTS = 32;
const SEEDING_SECONDS = 120;

export const API_VERSION = `${group}/${version}`;
export const KIND = kind;
export const GROUP = group;
export const PLURAL = plural;

/** Path of a namespace's shared secrets, or of one of them. */
export function pathOf(namespace: string, name?: string): string {
  const collection = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  return name === undefined ? collection : `${collection}/${name}`;
}

export const nameOf = (index: number): string => `secret-${String(index).padStart(6, '0')}`;

const PARTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Data that does not compress, 0.9 KB; other for every object. */
export function dataOf(namespace: string, name: string): Record<string, string> {
  const noise = (part: number) =>
    createHash('sha512').update(`${namespace}/${name}/${part}`).digest('base64');
  return Object.fromEntries(PARTS.map((part) => [`key-${part}`, noise(part)]));
}

/**
 * About 1.35 KB as served, and 0.5 KB of managedFields; every tenth has label `tenth=yes`. From each access rule two more
 * objects follow.
 */
export function objectBody(
  namespace: string,
  name: string,
  index: number,
  access?: readonly object[],
): string {
  return JSON.stringify({
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: {
      name,
      namespace,
      labels: { app: 'bench', tenth: index % 10 === 0 ? 'yes' : 'no' },
      annotations: { 'bench.example/purpose': 'written by the benchmark, of the size of an ordinary secret' },
    },
    spec: {
      displayName: `Secret ${index}`,
      description: 'Credentials of a service that several teams use.',
      owner: { user: 'admin' },
      access,
      data: dataOf(namespace, name),
    },
  });
}

/** Creates a ConfigMap of the same size, which is one object on every server; gives the bytes of the answer. */
export async function createConfigMap(client: Client, namespace: string, index: number): Promise<number> {
  const name = nameOf(index);
  const annotations = {
    'bench.example/purpose': `written by the benchmark, of an ordinary size; number ${index}`,
  };
  const metadata = { name, namespace, labels: { app: 'bench' }, annotations };
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: dataOf(namespace, name),
  });
  return (await must(client, { method: 'POST', path: `/api/v1/namespaces/${namespace}/configmaps`, body }))
    .body.length;
}

/** Makes the namespace and `count` objects named by `nameOf`. Throws on any refusal. */
export async function seed(client: Client, namespace: string, count: number): Promise<void> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await must(client, { method: 'POST', path: '/api/v1/namespaces', body });
  const bounds = { operations: count, seconds: SEEDING_SECONDS };
  const done = await applyLoad(SEEDING_CLIENTS, bounds, (index) => create(client, namespace, index));
  if (done.operations < count) throw new Error(`only ${done.operations} of ${count} objects in ${namespace}`);
}

/** Creates the object of that index; gives the bytes of the answer. */
export function create(client: Client, namespace: string, index: number): Promise<number> {
  return post(client, namespace, objectBody(namespace, nameOf(index), index));
}

/** The same with one access rule: users share a secret, and the roles that follow belong to it. */
export function createShared(client: Client, namespace: string, index: number): Promise<number> {
  const access = [{ verbs: ['get'], subresources: ['*'], users: [`user-${index % 50}`] }];
  return post(client, namespace, objectBody(namespace, nameOf(index), index, access));
}

const post = async (client: Client, namespace: string, body: string): Promise<number> =>
  (await must(client, { method: 'POST', path: pathOf(namespace), body })).body.length;
