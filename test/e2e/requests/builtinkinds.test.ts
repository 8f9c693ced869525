/**
 * Kinds of Kubernetes: responses that were compared by hand with kube-apiserver 1.36.3, besides those in recordings.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

type Read = KubeObject & { readonly code?: number; readonly message?: string };

/** The object or Status in the response. */
async function send(method: string, path: string, body: object, type = 'application/json'): Promise<Read> {
  const headers = { 'content-type': type };
  const answer = await fetchFrom(`${server.url}${path}`, { method, body: JSON.stringify(body), headers });
  return JSON.parse(answer.text) as Read;
}

const configMap = (name: string, rest: object = {}, metadata: object = {}): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  ...rest,
});

describe('an entry of a list map without its key has the key that the schema defaults', () => {
  test('uid of an owner reference', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'K', name: 'n' }];
    const body = configMap('owned', {}, { ownerReferences });
    expect(await send('PATCH', `${CONFIGMAPS}/owned?fieldManager=m`, body, APPLY)).toMatchObject({
      code: 422,
      message:
        'ConfigMap "owned" is invalid: metadata.ownerReferences[0].uid: Required value: must not be empty',
    });
  });

  test('type of a condition of a namespace', async () => {
    const body = { kind: 'Namespace', apiVersion: 'v1', status: { conditions: [{ status: 'True' }] } };
    const path = '/api/v1/namespaces/default/status?fieldManager=m&dryRun=All';
    const { status, metadata } = await send('PATCH', path, body, APPLY);
    expect(status).toMatchObject({ conditions: [{ type: '', status: 'True', lastTransitionTime: null }] });
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({
        fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":""}': { '.': {}, 'f:status': {} } } } },
      }),
    );
  });
});

test('a time that is not set is null, and owned by who updates', async () => {
  const path = '/api/v1/namespaces/default/status?fieldManager=m&dryRun=All';
  const body = { status: { conditions: [{ type: 'A', status: 'True' }] } };
  const { status, metadata } = await send('PATCH', path, body, MERGE);
  expect(status).toMatchObject({ conditions: [{ type: 'A', status: 'True', lastTransitionTime: null }] });
  const [entry] = (metadata.managedFields ?? []).filter(({ manager }) => manager === 'm');
  expect(entry?.fieldsV1).toMatchObject({
    'f:status': { 'f:conditions': { 'k:{"type":"A"}': { 'f:lastTransitionTime': {} } } },
  });
});

test('bytes are stored as the base64 that Go writes, whatever way they are written', async () => {
  const bytes = { a: 'Zh==', b: 'Zg==\n', c: [102] };
  const stored = { a: 'Zg==', b: 'Zg==', c: 'Zg==' };
  const made = await send('POST', CONFIGMAPS, configMap('bytes', { binaryData: bytes }));
  expect(made).toMatchObject({ binaryData: stored });
  const secret = { metadata: { name: 'bytes' }, data: bytes };
  const secrets = '/api/v1/namespaces/default/secrets';
  expect(await send('POST', secrets, secret)).toMatchObject({ data: stored });
  const patched = await send('PATCH', `${CONFIGMAPS}/bytes`, { binaryData: { a: [102] } }, MERGE);
  expect(patched).toEqual(made);
});

test('times are stored in UTC, without fractions of a second where the type has none', async () => {
  const conditions = [{ type: 'A', status: 'True', lastTransitionTime: '2020-01-01T00:00:00.5+02:00' }];
  const path = '/api/v1/namespaces/default/status?dryRun=All';
  expect(await send('PATCH', path, { status: { conditions } }, MERGE)).toMatchObject({
    status: { conditions: [{ lastTransitionTime: '2019-12-31T22:00:00Z' }] },
  });
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases?dryRun=All';
  const spec = { renewTime: '2020-01-01T00:00:00.123456+01:00' };
  expect(await send('POST', leases, { metadata: { name: 'l' }, spec })).toMatchObject({
    spec: { renewTime: '2019-12-31T23:00:00.123456Z' },
  });
});

test('the annotation of kubectl is rewritten with its neighbours as texts', async () => {
  const name = 'kubectl.kubernetes.io/last-applied-configuration';
  const made = configMap('annotated', {}, { annotations: { [name]: '{"kind":"ConfigMap"}' } });
  await send('POST', CONFIGMAPS, made);
  const path = `${CONFIGMAPS}/annotated?fieldManager=kubectl&force=true`;
  const rewritten = async (annotations: unknown): Promise<unknown> => {
    const { metadata } = await send('PATCH', path, configMap('annotated', {}, { annotations }), APPLY);
    return JSON.parse(metadata.annotations?.[name] ?? '');
  };
  expect(await rewritten({ m: null })).toEqual(configMap('annotated', {}, { annotations: { m: '' } }));
  expect(await rewritten(null)).toEqual(configMap('annotated'));
  expect(await rewritten({})).toEqual(configMap('annotated', {}, { annotations: {} }));
});

test('a finalizer of a namespace that is no name is told by its index', async () => {
  const body = { metadata: { name: 'default' }, spec: { finalizers: ['a/b', 'q'] } };
  expect(await send('PUT', '/api/v1/namespaces/default/finalize?dryRun=All', body)).toMatchObject({
    code: 422,
    details: { causes: [{ field: 'spec.finalizers[1]' }] },
  });
});

test.each([{ kind: 'Secret' }, { apiVersion: 'v2' }, { kind: null, apiVersion: null }])(
  'a strategic merge patch %j changes no kind',
  async (patch) => {
    await send('POST', CONFIGMAPS, configMap('kept'));
    const path = `${CONFIGMAPS}/kept?dryRun=All`;
    const type = 'application/strategic-merge-patch+json';
    const body = { ...patch, data: { a: 'b' } };
    expect(await send('PATCH', path, body, type)).toMatchObject(configMap('kept', { data: { a: 'b' } }));
  },
);

test('the table of a dry create has no resourceVersion', async () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const answer = await fetchFrom(`${server.url}${CONFIGMAPS}?dryRun=All`, {
    method: 'POST',
    body: JSON.stringify(configMap('dry')),
    headers: { accept, 'content-type': 'application/json' },
  });
  expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Table', metadata: {}, rows: [{}] });
  expect(answer.text).not.toContain('resourceVersion":');
});

test('an apply that creates reads the resourceVersion, and a dry one answers it', async () => {
  const path = `${CONFIGMAPS}/versioned?fieldManager=m&dryRun=All`;
  const at = (resourceVersion: string): Promise<Read> =>
    send('PATCH', path, configMap('versioned', {}, { resourceVersion }), APPLY);
  expect(await at('x')).toMatchObject({
    code: 400,
    reason: 'BadRequest',
    message: 'strconv.ParseUint: parsing "x": invalid syntax',
  });
  expect(await at('12')).toMatchObject({ kind: 'ConfigMap', metadata: { resourceVersion: '12' } });
});
