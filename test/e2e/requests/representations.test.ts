/** Tables and partial object metadata with every verb that returns objects, from the running server. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { client, eventsOf, type Client } from '../../fixtures/clients/client.js';

interface Document {
  readonly kind: string;
  readonly apiVersion: string;
  readonly message?: string;
  readonly metadata: { name?: string; resourceVersion: string; annotations?: Record<string, string> };
  readonly items?: readonly Document[];
  readonly data?: unknown;
  readonly columnDefinitions?: readonly { name: string }[] | null;
  readonly rows?: readonly { cells: readonly unknown[]; object: Document | null }[];
}

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const KEYS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const asking = (as: string, version = 'v1'): string => `application/json;as=${as};v=${version};g=meta.k8s.io`;

let server: ServerFixture;
let api: Client;

beforeAll(async () => {
  server = await startServer();
  api = client(server);
  for (const name of ['a', 'b', 'c']) {
    const made = await api.send('POST', CONFIGMAPS, {
      metadata: { name, labels: { l: name } },
      data: { k: '}"{' },
    });
    expect(made.status).toBe(201);
  }
  expect((await api.send('POST', KEYS, { metadata: { name: 's' } })).status).toBe(201);
});
afterAll(() => server.remove());

const get = async (
  path: string,
  accept: string,
): Promise<{ status: number; text: string; body: Document }> => {
  const { status, text } = await api.send('GET', path, undefined, { accept });
  return { status, text, body: JSON.parse(text) as Document };
};

describe.each(['v1', 'v1beta1'])('metadata alone, %s', (version) => {
  test('of an object', async () => {
    const { body } = await get(`${CONFIGMAPS}/a`, asking('PartialObjectMetadata', version));
    const { body: whole } = await get(`${CONFIGMAPS}/a`, 'application/json');
    expect(body).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: whole.metadata,
    });
  });

  test.each([
    ['a list', CONFIGMAPS, ['a', 'b', 'c']],
    ['a selected list', `${CONFIGMAPS}?labelSelector=l%3Db`, ['b']],
    ['an empty list', `${CONFIGMAPS}?labelSelector=l%3Dx`, []],
    ["a list of the group's own kind", KEYS, ['s']],
  ])('of %s', async (_what, path, names) => {
    const { body } = await get(path, asking('PartialObjectMetadataList', version));
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}` });
    expect(body.items?.map(({ metadata }) => metadata.name)).toEqual(names);
    for (const item of body.items ?? []) {
      expect(Object.keys(item)).toEqual(['kind', 'apiVersion', 'metadata']);
      expect(item).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}` });
    }
  });
});

test('a page of metadata tells how it goes on', async () => {
  const { body } = await get(`${CONFIGMAPS}?limit=2`, asking('PartialObjectMetadataList'));
  expect(body.items).toHaveLength(2);
  expect(body.metadata).toMatchObject({ continue: expect.anything() as unknown, remainingItemCount: 1 });
});

test('pretty and YAML metadata hold the same as compact', async () => {
  const accept = asking('PartialObjectMetadataList');
  const { body } = await get(CONFIGMAPS, accept);
  const pretty = await get(`${CONFIGMAPS}?pretty=1`, accept);
  expect(pretty.text).toContain('\n  "items": [\n');
  expect(pretty.body.items).toEqual(body.items);
  const yaml = await api.send('GET', CONFIGMAPS, undefined, { accept: accept.replace('json', 'yaml') });
  expect(yaml.headers['content-type']).toBe('application/yaml');
  expect(yaml.text).toContain('kind: PartialObjectMetadataList');
});

test.each([
  [`${CONFIGMAPS}/a`, 'PartialObjectMetadataList', 'the requested object is not a list (*core.ConfigMap)'],
  [CONFIGMAPS, 'PartialObjectMetadata', 'the requested object is a list (*core.ConfigMapList)'],
])('%s as %s is 406', async (path, as, why) => {
  const { status, body } = await get(path, asking(as));
  expect(status).toBe(406);
  expect(body.message).toBe(`you requested ${as}, but ${why}`);
});

describe('one object as a list of metadata', () => {
  const accept = asking('PartialObjectMetadataList');

  test('of an absent object is 404', async () => {
    expect((await get(`${CONFIGMAPS}/absent`, accept)).status).toBe(404);
  });

  test('is deleted, and answered with a Status', async () => {
    await api.send('POST', CONFIGMAPS, { metadata: { name: 'gone' } });
    const { status, text } = await api.send('DELETE', `${CONFIGMAPS}/gone`, undefined, { accept });
    expect([status, (JSON.parse(text) as Document).kind]).toEqual([200, 'Status']);
    expect((await get(`${CONFIGMAPS}/gone`, 'application/json')).status).toBe(404);
  });

  test('is watched by a stream that says why it ends', async () => {
    const events = await eventsOf<Document>(api, `${CONFIGMAPS}?watch=1`, 9, accept);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'ERROR', object: { code: 406, reason: 'NotAcceptable' } });
  });
});

const STREAMS = ', application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

test.each([
  [CONFIGMAPS, STREAMS],
  [`${CONFIGMAPS}?watch=1`, STREAMS],
  [`${CONFIGMAPS}/a`, ''],
])('%s in an unknown form lists the supported ones', async (path, more) => {
  const { status, body } = await get(path, 'text/plain');
  expect(status).toBe(406);
  expect(body.message).toBe(
    `406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf${more}`,
  );
});

test('a watch in an unknown form is refused like a list', async () => {
  const { body } = await get(`${CONFIGMAPS}?watch=1`, asking('Nothing'));
  expect(body.message).toBe(
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
});

test.each([
  ['limit=2;x=1', 3],
  ['?limit=x', 3],
  ['limit=%zz', 3],
  ['x=;&limit=2', 2],
])('of the query %s only well-formed pairs count', async (query, count) => {
  const path = `${CONFIGMAPS}?${query}`;
  const { status, body } = await get(path, 'application/json');
  expect(status).toBe(200);
  expect(body.items?.filter(({ metadata }) => (metadata.name?.length ?? 0) === 1)).toHaveLength(count);
});

test.each([
  ['POST', CONFIGMAPS, { metadata: { name: 'w' } }, 201],
  ['PUT', `${CONFIGMAPS}/w`, { metadata: { name: 'w', finalizers: ['x.example/f'] } }, 200],
  ['PATCH', `${CONFIGMAPS}/w`, { metadata: { labels: { l: 'w' } } }, 200],
  ['DELETE', `${CONFIGMAPS}/w`, undefined, 200],
] as const)('%s answers metadata, then a Table', async (method, path, body, code) => {
  const headers = {
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  };
  const accept = asking('PartialObjectMetadata');
  const partial = await api.send(method, path, body, { ...headers, accept });
  expect(partial.status).toBe(code);
  expect(JSON.parse(partial.text)).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'w' } });
  if (method === 'POST') return;
  const table = await api.send(method, path, body, { ...headers, accept: asking('Table') });
  expect(JSON.parse(table.text)).toMatchObject({
    kind: 'Table',
    rows: [{ object: { kind: 'PartialObjectMetadata', metadata: { name: 'w' } } }],
  });
});

describe('a Table', () => {
  test.each([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }],
    ['Object', { kind: 'ConfigMap', apiVersion: 'v1', data: { k: '}"{' } }],
  ])('includeObject=%s', async (include, object) => {
    const path = `${CONFIGMAPS}?labelSelector=l+in+(a,b)&includeObject=${include}`;
    const { text, body } = await get(path, asking('Table'));
    expect(text.endsWith(']}\n')).toBe(true);
    expect(body.columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(body.rows?.map(({ cells }) => cells.slice(0, 2))).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    for (const row of body.rows ?? []) {
      if (object === null) expect(row.object).toBeNull();
      else expect(row.object).toMatchObject(object);
    }
    const pretty = await get(`${path}&pretty=true`, asking('Table'));
    // The ages in the rows change.
    const ageless = ({ rows, ...rest }: typeof body): unknown => ({
      ...rest,
      rows: rows?.map((row) => ({ ...row, cells: row.cells.slice(0, 2) })),
    });
    expect(ageless(pretty.body)).toEqual(ageless(body));
  });
});

describe('a watch', () => {
  const watchPath = `${CONFIGMAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=l+in+(a,b)`;

  test('of metadata', async () => {
    const events = await eventsOf<Document>(api, watchPath, 3, asking('PartialObjectMetadata'));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    for (const { object } of events) {
      expect(Object.keys(object)).toEqual(['kind', 'apiVersion', 'metadata']);
      expect(object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    }
    expect(events[2]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  test('of Tables tells the columns once, and in a bookmark the cells of an object that has nothing', async () => {
    const events = await eventsOf<Document>(api, watchPath, 3, asking('Table'));
    expect(events.map(({ object }) => object.columnDefinitions === null)).toEqual([false, true, true]);
    expect(events.map(({ object }) => object.rows?.[0]?.cells[0])).toEqual(['a', 'b', '']);
    const bookmark = events[2]?.object;
    expect(bookmark?.rows?.[0]?.cells).toEqual(['', 0, '<unknown>']);
    expect(bookmark?.rows?.[0]?.object?.metadata).toEqual({
      resourceVersion: bookmark?.metadata.resourceVersion,
      annotations: { 'k8s.io/initial-events-end': 'true' },
    });
  });

  test('has the columns in a bookmark that is its first event', async () => {
    const path = watchPath.replace('l+in+(a,b)', 'l%3Dnone');
    const [bookmark] = await eventsOf<Document>(api, path, 1, asking('Table'));
    expect(bookmark?.type).toBe('BOOKMARK');
    expect(bookmark?.object.columnDefinitions).toHaveLength(3);
  });

  test('of changes in three forms at once', async () => {
    const { body } = await get(CONFIGMAPS, 'application/json');
    const from = `${CONFIGMAPS}?watch=1&resourceVersion=${body.metadata.resourceVersion}&fieldSelector=metadata.name%3Dlive`;
    const forms = ['application/json', asking('PartialObjectMetadata'), asking('Table')];
    const streams = forms.map((accept) => eventsOf<Document>(api, from, 2, accept));
    await api.send('POST', CONFIGMAPS, { metadata: { name: 'live' } });
    await api.send('DELETE', `${CONFIGMAPS}/live`);
    const [whole = [], partial = [], table = []] = await Promise.all(streams);
    for (const events of [whole, partial, table])
      expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    expect(whole.map(({ object }) => object.kind)).toEqual(['ConfigMap', 'ConfigMap']);
    expect(partial.map(({ object }) => object.metadata)).toEqual(whole.map(({ object }) => object.metadata));
    expect(table.map(({ object }) => object.rows?.[0]?.object?.metadata)).toEqual(
      whole.map(({ object }) => object.metadata),
    );
  });
});
