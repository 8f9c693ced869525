/** Protobuf with every verb, from the running server. Vectors prove that the messages are those of Kubernetes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { PROTOBUF, ask, binaryEvents, decoded, encoded } from '../../fixtures/clients/protobufclient.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const METADATA = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
const METADATA_LIST = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

let server: ServerFixture;
let api: Client;

const at = (path: string): string => `${server.url}${path}`;
const configMap = (name: string, more: object = {}) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  ...more,
});

async function json(path: string): Promise<Record<string, unknown>> {
  const { text } = await api.send('GET', path);
  return JSON.parse(text) as Record<string, unknown>;
}

async function made(name: string, more: object = {}): Promise<Record<string, unknown>> {
  const { status, body } = await ask(at(CONFIGMAPS), 'POST', { body: encoded(configMap(name, more)) });
  expect(status).toBe(201);
  return decoded(body);
}

beforeAll(async () => {
  server = await startServer();
  api = client(server);
});
afterAll(() => server.remove());

describe('an object', () => {
  const DATA = { data: { a: 'ä', '': '' }, binaryData: { b: 'AP8=' }, immutable: false };

  test('is created, read, replaced and deleted', async () => {
    const sent = { data: { a: 'ä', b: '' }, binaryData: { c: 'AP8=' }, immutable: false };
    const created = await made('whole', sent);
    expect(created).toMatchObject({ ...configMap('whole'), ...sent });
    expect(await json(`${CONFIGMAPS}/whole`)).toEqual(created);

    const read = await ask(at(`${CONFIGMAPS}/whole`), 'GET');
    expect(read.headers['content-type']).toBe(PROTOBUF);
    expect(decoded(read.body)).toEqual(created);

    const next = { ...created, data: { z: '1' } } as unknown as Parameters<typeof encoded>[0];
    const replaced = await ask(at(`${CONFIGMAPS}/whole`), 'PUT', { body: encoded(next) });
    expect(replaced.status).toBe(200);
    expect(await json(`${CONFIGMAPS}/whole`)).toEqual(decoded(replaced.body));

    const deleted = await ask(at(`${CONFIGMAPS}/whole`), 'DELETE');
    expect(decoded(deleted.body)).toMatchObject({ kind: 'Status', status: 'Success' });
  });

  test('is validated as others are', async () => {
    const { status, body } = await ask(at(CONFIGMAPS), 'POST', { body: encoded(configMap('keys', DATA)) });
    expect(status).toBe(422);
    expect(decoded(body)).toMatchObject({ kind: 'Status', reason: 'Invalid', details: { name: 'keys' } });
  });

  test('a patch is answered so', async () => {
    await made('patched');
    const { body } = await ask(at(`${CONFIGMAPS}/patched`), 'PATCH', {
      body: '{"data":{"a":"1"}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(decoded(body)).toMatchObject({ data: { a: '1' } });
  });

  test('options of a delete are read', async () => {
    await made('guarded');
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'another' } };
    const { status, body } = await ask(at(`${CONFIGMAPS}/guarded`), 'DELETE', { body: encoded(options) });
    expect(status).toBe(409);
    expect(decoded(body)).toMatchObject({ kind: 'Status', reason: 'Conflict', code: 409 });
  });

  test('answers in JSON to those who ask for it', async () => {
    const { body } = await ask(at(CONFIGMAPS), 'POST', {
      body: encoded(configMap('mixed')),
      headers: { accept: 'application/json' },
    });
    expect(JSON.parse(body.toString())).toMatchObject(configMap('mixed'));
  });
});

describe('refuses a body that cannot be decoded', () => {
  const text = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ';
  test.each([
    ['no envelope', Buffer.from('{}'), 'the object provided is unrecognized (must be of type ConfigMap): '],
    [
      'nothing',
      Buffer.alloc(0),
      'the object provided is unrecognized (must be of type ConfigMap): empty data',
    ],
    ['half an object', Buffer.from('6b3873000a0f0a0276311209436f6e6669674d61701204127f0a01', 'hex'), ''],
    ['a message cut off', Buffer.from('6b3873000a0f0a0276311209436f6e6669674d61701202127f', 'hex'), text],
  ])('%s', async (_what, body, message) => {
    const answer = await ask(at(CONFIGMAPS), 'POST', { body, headers: { accept: 'application/json' } });
    const told = JSON.parse(answer.body.toString()) as { code: number; message: string };
    expect(told).toMatchObject({ kind: 'Status', code: 400, reason: 'BadRequest' });
    expect(told.message.startsWith(message)).toBe(true);
  });

  test('another kind', async () => {
    const namespace = encoded({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'x' } });
    const { status, body } = await ask(at(CONFIGMAPS), 'POST', { body: namespace });
    expect(status).toBe(400);
    expect(decoded(body).message).toContain('Namespace in version "v1" cannot be handled as a ConfigMap');
  });

  test('a kind of the management group', async () => {
    const body = encoded(configMap('x'));
    const answer = await ask(at(SECRETS), 'POST', { body, headers: { accept: 'application/json' } });
    expect(answer.status).toBe(415);
    const { message } = JSON.parse(answer.body.toString()) as { message: string };
    expect(message).toMatch(/accepted media types include: application\/json, application\/yaml$/);
  });
});

describe('a list', () => {
  test('short and long, with gzip and without, equals that in JSON', async () => {
    const value = 'v'.repeat(2000);
    for (let index = 0; index < 100; index += 1) await made(`many-${index}`, { data: { value } });
    for (const query of ['', '?limit=7', '?limit=90', '?fieldSelector=metadata.name=many-5']) {
      for (const encoding of ['identity', 'gzip']) {
        const headers = { 'accept-encoding': encoding };
        const answer = await ask(at(CONFIGMAPS + query), 'GET', { headers });
        expect(answer.headers['content-type']).toBe(PROTOBUF);
        const zipped = encoding === 'gzip' && answer.body.length > 128 * 1024;
        expect(answer.headers['content-encoding']).toBe(zipped ? 'gzip' : undefined);
        const list = decoded(answer.body) as { metadata: { continue?: string } };
        const expected = (await json(CONFIGMAPS + query)) as typeof list;
        // A continue token is different in each response.
        if (list.metadata.continue !== undefined)
          list.metadata.continue = expected.metadata.continue as string;
        expect(list).toEqual(expected);
      }
    }
  });

  test('without items', async () => {
    const { body } = await ask(at('/api/v1/namespaces/nothing/secrets'), 'GET');
    expect(decoded(body)).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
  });

  test('of a deleted collection', async () => {
    const name = 'many-1';
    const { body } = await ask(at(`${CONFIGMAPS}?fieldSelector=metadata.name=${name}`), 'DELETE');
    expect(decoded(body)).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name } }] });
  });
});

describe('a watch', () => {
  test('has the state and its bookmark, then changes and what leaves the selection', async () => {
    const path = '/api/v1/namespaces/watched/configmaps';
    const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'watched' } };
    await ask(at('/api/v1/namespaces'), 'POST', { body: encoded(namespace) });
    const labelled = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'w', labels: { l: '1' } } };
    const created = decoded((await ask(at(path), 'POST', { body: encoded(labelled) })).body);

    const query = '?watch=1&allowWatchBookmarks=1&labelSelector=l';
    const state = await binaryEvents(at(path + query), 2);
    expect(state.contentType).toBe(`${PROTOBUF};stream=watch`);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    expect(state.events).toEqual([
      { type: 'ADDED', object: created },
      {
        type: 'BOOKMARK',
        object: {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: { resourceVersion: expect.stringMatching(/^\d+$/), annotations },
        },
      },
    ]);

    const headers = { 'content-type': 'application/merge-patch+json' };
    for (const body of ['{"data":{"a":"1"}}', '{"metadata":{"labels":null}}']) {
      await ask(at(`${path}/w`), 'PATCH', { body, headers });
    }
    const last = (await json(`${path}/w`)).metadata as { resourceVersion: string };
    const { resourceVersion } = created.metadata as { resourceVersion: string };
    const { events } = await binaryEvents(at(`${path}${query}&resourceVersion=${resourceVersion}`), 2);
    expect(events).toMatchObject([
      { type: 'MODIFIED', object: { data: { a: '1' }, metadata: { labels: { l: '1' } } } },
      {
        type: 'DELETED',
        object: { data: { a: '1' }, metadata: { labels: { l: '1' }, resourceVersion: last.resourceVersion } },
      },
    ]);
  });

  test('reports an expired resourceVersion', async () => {
    const { events } = await binaryEvents(at(`${CONFIGMAPS}?watch=1&resourceVersion=1`), 5);
    expect(events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410 } }]);
  });
});

describe.each([
  ['of a built-in kind', CONFIGMAPS, configMap('meta', { metadata: { name: 'meta', labels: { a: 'b' } } })],
  ['of the management group', SECRETS, { metadata: { name: 'meta', labels: { a: 'b' } } }],
])('metadata %s', (_what, path, object) => {
  beforeAll(async () => {
    expect((await api.send('POST', path, object)).status).toBe(201);
  });
  const selected = '?fieldSelector=metadata.name=meta';

  test('of one, of a list, of a watch', async () => {
    const { metadata } = await json(`${path}/meta`);
    const type = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
    const one = await ask(at(`${path}/meta`), 'GET', { headers: { accept: METADATA } });
    expect(one.headers['content-type']).toBe(PROTOBUF);
    expect(decoded(one.body)).toEqual({ ...type, metadata });
    const list = await ask(at(path + selected), 'GET', { headers: { accept: METADATA_LIST } });
    expect(decoded(list.body)).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata }] });
    const { events } = await binaryEvents(at(`${path}${selected}&watch=1`), 1, METADATA);
    expect(events).toEqual([{ type: 'ADDED', object: { ...type, metadata } }]);
  });
});

test('whole objects of the management group are not offered so', async () => {
  const alone = await ask(at(SECRETS), 'GET');
  expect(alone.status).toBe(406);
  expect(decoded(alone.body)).toMatchObject({ kind: 'Status', reason: 'NotAcceptable' });
  const fallback = await ask(at(SECRETS), 'GET', { headers: { accept: `${PROTOBUF},application/json` } });
  expect(fallback.headers['content-type']).toBe('application/json');
});

test.each([
  ['/api', PROTOBUF],
  ['/apis', PROTOBUF],
  ['/apis/rbac.authorization.k8s.io', PROTOBUF],
  ['/api/v1', PROTOBUF],
  ['/apis', `${PROTOBUF};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`],
])('discovery at %s as %s', async (path, accept) => {
  const { status, headers, body } = await ask(at(path), 'GET', { headers: { accept } });
  expect([status, headers['content-type']]).toEqual([200, accept]);
  expect(body.subarray(0, 4)).toEqual(Buffer.from('6b387300', 'hex'));
});
