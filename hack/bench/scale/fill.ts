/** Very many objects, put into a store like some that a server made there: as many requests would take an hour. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { must, type Client } from '../client.js';
import {
  MAX_COMMIT_WRITES,
  prefixEnd,
  type Storage,
  type StoredRecord,
  type Write,
} from '../../../pkg/storage/interface.js';
import { dataOf } from '../objects.js';

const MANAGEMENT = '/apis/management.svc.example/v1';
const COMMITS_AT_ONCE = 32;

export const IN_NAMESPACE = 100;

/** How many of what there are; `objects` are ConfigMaps of 1 KB. */
export interface Size {
  readonly objects: number;
  readonly namespaces: number;
  readonly users: number;
  readonly keys: number;
  readonly watches: number;
}

export const sizeOf = (objects: number): Size => ({
  objects,
  namespaces: objects / IN_NAMESPACE,
  users: objects / 100,
  keys: objects / 10,
  watches: objects / 100,
});

const numbered =
  (word: string) =>
  (index: number): string =>
    `${word}-${String(index).padStart(7, '0')}`;
export const namespaceOf = numbered('scale');
export const objectOf = numbered('object');
const userOf = numbered('user');
const keyOf = numbered('key');

export const objectPath = (namespace: string, name = ''): string =>
  `/api/v1/namespaces/${namespace}/configmaps${name === '' ? '' : `/${name}`}`;

/** A ConfigMap of 1 KB. */
export function objectBody(namespace: string, name: string): string {
  const { 'key-0': first, 'key-1': second, 'key-2': third, 'key-3': fourth } = dataOf(namespace, name);
  const data = { first, second, third, fourth };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
}

/** Makes the first of each kind; resolves with the access key. */
export async function makeFirst(client: Client): Promise<string> {
  const post = (path: string, body: object) =>
    must(client, { method: 'POST', path, body: JSON.stringify(body) });
  const managed = (kind: string, name: string, spec: object) => ({
    apiVersion: 'management.svc.example/v1',
    kind,
    metadata: { name },
    spec,
  });
  const namespace = namespaceOf(0);
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await must(client, {
    method: 'POST',
    path: objectPath(namespace),
    body: objectBody(namespace, objectOf(0)),
  });
  await post(`${MANAGEMENT}/users`, managed('User', userOf(0), { username: userOf(0) }));
  const key = managed('OwnedAccessKey', keyOf(0), { user: userOf(0) });
  const { body } = await post(`${MANAGEMENT}/ownedaccesskeys`, key);
  const token = /"key":"([^"]+)"/.exec(body.toString())?.[1];
  if (token === undefined) throw new Error('an access key was created without a key');
  return token;
}

/** Puts the others beside the first. `token` is the first access key. */
export async function fill(store: Storage, size: Size, token: string): Promise<void> {
  const { records } = await store.scan({ start: 'registry/', end: prefixEnd('registry/') });
  const of = (name: string) => records.filter(({ key }) => key.split('/').includes(name));
  const object = records.filter(({ key }) => key.endsWith(`/${objectOf(0)}`));
  const inNamespace = of(namespaceOf(0)).filter((record) => !object.includes(record));
  await commitAll(store, function* () {
    for (let at = 0; at < size.namespaces; at += 1) {
      const inIt = new Map([[namespaceOf(0), namespaceOf(at)]]);
      if (at > 0) yield* copies(inNamespace, inIt);
      for (let index = at * IN_NAMESPACE; index < (at + 1) * IN_NAMESPACE; index += 1)
        if (index > 0) yield* copies(object, new Map([...inIt, [objectOf(0), objectOf(index)]]));
    }
    const users = of(userOf(0));
    const uid = uidIn(users[0]);
    const asUser = (at: number) =>
      new Map([
        [userOf(0), userOf(at)],
        [uid, uidOf(uid, at)],
      ]);
    for (let at = 1; at < size.users; at += 1) yield* copies(users, asUser(at));
    for (let at = 1; at < size.keys; at += 1) {
      const other = randomBytes(token.length).toString('hex').slice(0, token.length);
      const owned = asUser(at % size.users);
      yield* copies(of(keyOf(0)), new Map([...owned, [keyOf(0), keyOf(at)], [token, other]]));
    }
  });
}

const uidIn = (record: StoredRecord | undefined): string =>
  /"uid":"([^"]+)"/.exec(record?.value.toString() ?? '')?.[1] ?? '';

/** Of the copy of that number, so that others can refer to it; the first keeps its own. */
function uidOf(first: string, at: number): string {
  if (at === 0) return first;
  const hash = createHash('sha256').update(`${first}/${at}`).digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** With other texts in their keys and values, and uids of their own unless these name some. */
function* copies(records: readonly StoredRecord[], others: ReadonlyMap<string, string>): Iterable<Write> {
  const changed = (text: string): string =>
    [...others].reduce((copy, [from, to]) => copy.replaceAll(from, to), text);
  for (const record of records) {
    const uid = uidIn(record);
    const text = record.value.toString();
    const own = uid === '' || others.has(uid) ? text : text.replaceAll(uid, randomUUID());
    yield { key: changed(record.key), value: Buffer.from(changed(own)), expect: 'absent' };
  }
}

async function commitAll(store: Storage, writes: () => Iterable<Write>): Promise<void> {
  const iterator = writes()[Symbol.iterator]();
  const next = (): Write[] => {
    const batch: Write[] = [];
    while (batch.length < MAX_COMMIT_WRITES) {
      const { value, done } = iterator.next();
      if (done === true) break;
      batch.push(value);
    }
    return batch;
  };
  const work = async (): Promise<void> => {
    for (let batch = next(); batch.length > 0; batch = next()) await store.commit(batch);
  };
  await Promise.all(Array.from({ length: COMMITS_AT_ONCE }, work));
}
