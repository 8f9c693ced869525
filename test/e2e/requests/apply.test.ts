/** Server-side apply over HTTP: the behaviour that no recording covers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const API = 'management.svc.example/v1';
const PATH = `/apis/${API}/namespaces/default/sharedsecrets`;

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

interface Read {
  readonly status: number;
  readonly object: KubeObject & { message?: string };
}

function read({ status, text }: Answer): Read {
  return { status, object: JSON.parse(text) as KubeObject };
}

async function send(method: string, path: string, body: unknown, contentType: string): Promise<Read> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': contentType };
  return read(await fetchFrom(`${server.url}${path}`, { method, body: text, headers }));
}

const apply = (path: string, body: unknown): Promise<Read> =>
  send('PATCH', path, body, 'application/apply-patch+yaml');
const secret = (name: string, spec: object, rest: object = {}): object => ({
  apiVersion: API,
  kind: 'SharedSecret',
  metadata: { name },
  spec,
  ...rest,
});
const owners = ({ object }: Read): unknown[] =>
  (object.metadata.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => ({
    manager,
    operation,
    ...(subresource !== undefined && { subresource }),
    fieldsV1,
  }));

describe('apply', () => {
  test('to status owns status and leaves the rest', async () => {
    await apply(`${PATH}/st?fieldManager=m`, secret('st', { displayName: 'A' }));
    const conditions = [
      {
        type: 'AccessReady',
        status: 'True',
        reason: 'R',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    const status = {
      apiVersion: API,
      kind: 'SharedSecret',
      metadata: { name: 'st' },
      status: { conditions },
    };
    const done = await apply(`${PATH}/st/status?fieldManager=c`, {
      ...status,
      spec: { displayName: 'IGNORED' },
    });
    expect(done.status).toBe(200);
    expect(done.object).toMatchObject({ spec: { displayName: 'A' }, status: { conditions } });
    expect(done.object.metadata.generation).toBe(1);
    expect(owners(done)).toContainEqual({
      manager: 'c',
      operation: 'Apply',
      subresource: 'status',
      fieldsV1: {
        'f:status': {
          'f:conditions': {
            'k:{"type":"AccessReady"}': {
              '.': {},

              'f:lastTransitionTime': {},
              'f:message': {},
              'f:reason': {},
              'f:status': {},
              'f:type': {},
            },
          },
        },
      },
    });
    const taken = structuredClone(status);
    (taken.status.conditions[0] as { status: string }).status = 'False';
    const refused = await apply(`${PATH}/st/status?fieldManager=d`, taken);
    expect(refused.status).toBe(409);
    expect(refused.object.message).toBe(
      'Apply failed with 1 conflict: conflict with "c" with subresource "status": .status.conditions[type="AccessReady"].status',
    );
  });

  test('of an absent object is 201; again it is 200 and changes nothing', async () => {
    const first = await apply(`${PATH}/twice?fieldManager=m`, secret('twice', { data: { k: 'MQ==' } }));
    const second = await apply(`${PATH}/twice?fieldManager=m`, secret('twice', { data: { k: 'MQ==' } }));
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.object).toEqual(first.object);
  });

  test('with a resourceVersion or a uid of another object is refused', async () => {
    const { object } = await apply(`${PATH}/pre?fieldManager=m`, secret('pre', { displayName: 'A' }));
    const at = (metadata: object): object => ({
      ...secret('pre', { displayName: 'B' }),
      metadata: { name: 'pre', ...metadata },
    });
    const stale = await apply(`${PATH}/pre?fieldManager=m&force=true`, at({ resourceVersion: '77' }));
    expect([stale.status, stale.object.message]).toEqual([
      409,
      'Operation cannot be fulfilled on sharedsecrets.management.svc.example "pre": the object has been modified; please apply your changes to the latest version and try again',
    ]);
    expect((await apply(`${PATH}/pre?fieldManager=m`, at({ uid: 'other' }))).status).toBe(422);
    const { resourceVersion, uid } = object.metadata;
    expect((await apply(`${PATH}/pre?fieldManager=m`, at({ resourceVersion, uid }))).status).toBe(200);
    const absent = await apply(`${PATH}/none?fieldManager=m`, {
      ...secret('none', {}),
      metadata: { name: 'none', uid: 'u' },
    });
    expect([absent.status, absent.object.message]).toEqual([
      409,
      'Operation cannot be fulfilled on sharedsecrets.management.svc.example "none": uid mismatch: the provided object specified uid u, and no existing object was found',
    ]);
  });

  test('concurrent appliers of one absent object all succeed', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `m${index}`);
    const answers = await Promise.all(
      names.map((name) =>
        apply(`${PATH}/race?fieldManager=${name}`, secret('race', { data: { [name]: 'MQ==' } })),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    const { object } = read(await fetchFrom(`${server.url}${PATH}/race`));
    expect(Object.keys((object.spec as { data: object }).data).sort()).toEqual(names);
    expect(object.metadata.managedFields).toHaveLength(8);
  });

  test.each(['{}{}', 1, { 'v:1 {}': {} }])(
    'drops managed fields that are no field set: %j',
    async (fieldsV1) => {
      const name = `fields-${JSON.stringify(fieldsV1).length}`;
      const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
      const metadata = { name, managedFields: [entry] };
      const map = (data: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      const path = '/api/v1/namespaces/default/configmaps';
      const made = await send('POST', `${path}?fieldManager=own`, map({ a: '1' }), 'application/json');
      const fields = { 'f:data': { '.': {}, 'f:a': {} } };
      expect(owners(made)).toEqual([{ manager: 'own', operation: 'Update', fieldsV1: fields }]);
      const changed = await send(
        'PUT',
        `${path}/${name}?fieldManager=own`,
        map({ a: '2' }),
        'application/json',
      );
      expect([changed.status, owners(changed)]).toEqual([200, owners(made)]);
    },
  );

  test('keeps what cannot be applied out with 400', async () => {
    const cases: [unknown, string][] = [
      [
        secret('bad', { displayName: 5 }),
        '.spec.displayName: expected string, got &value.valueUnstructured{Value:5}',
      ],
      [secret('bad', { nope: 1 }), '.spec.nope: field not declared in schema'],
      [secret('bad', { data: ['x'] }), '.spec.data: expected map, got '],
      ['a: b: c', 'error encoding patch: yaml: '],
      ['- a', 'cannot unmarshal array into Go value of type map[string]interface {}'],
      ['', 'invalid object type: /, Kind='],
      [{ ...secret('bad', {}), metadata: 'x' }, '.metadata: expected map, got &{x}'],
      [{ ...secret('bad', {}), metadata: { name: 5 } }, '.metadata.name: expected string, got '],
      [JSON.parse('{"__proto__":{"a":1}}'), 'invalid object type: /, Kind='],
    ];
    for (const [body, message] of cases) {
      const answer = await apply(`${PATH}/bad?fieldManager=m`, body);
      expect(answer).toMatchObject({ status: 400, object: { reason: 'BadRequest' } });
      expect(answer.object.message).toContain(message);
    }
  });
});

test('a thousand mistakes make a short answer', async () => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
  const { status, object } = await apply(`${PATH}/bad?fieldManager=m`, secret('bad', { data }));
  expect(status).toBe(400);
  expect(object.message?.split('\n').length).toBe(101);
});

describe('an object that its managed fields make too large', () => {
  /** Many keys, so that their names in the field set are as large as the data. */
  const data = Object.fromEntries(
    Array.from({ length: 9_900 }, (_, index) => [`key-${index}-${'x'.repeat(60)}`, '']),
  );

  test('is stored without them, but not by an apply', async () => {
    const made = await send('POST', PATH, secret('large', { data }), 'application/json');
    expect(made.status).toBe(201);
    expect(made.object.metadata.managedFields).toBeUndefined();
    const refused = await apply(`${PATH}/larger?fieldManager=m`, secret('larger', { data }));
    expect(refused).toMatchObject({ status: 413, object: { reason: 'RequestEntityTooLarge' } });
  });
});
