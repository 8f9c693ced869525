import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { conditionsSchema } from '../../../api/meta/v1/condition.js';
import { microTime, oneOf, stringMap } from '../../../api/meta/v1/schema.js';
import { ConfigMap as configMap } from '../../../api/core/v1/configmap.js';
import { type Namespace as namespace } from '../../../api/core/v1/namespace.js';
import { SharedSecret as sharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { apiVersionOf, defineResource, type KubeObject } from '../../../api/resource.js';
import { aggregate, type StatusError } from '../errors.js';
import { compileSchema } from './compile.js';

const widget = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  description: 'A kind with every rule.',
  schema: Type.Object({
    spec: Type.Object(
      {
        count: Type.Optional(Type.Integer({ minimum: 0, maximum: 9, default: 3 })),
        name: Type.Optional(Type.String({ maxLength: 3, pattern: '^[a-z]*$' })),
        long: Type.Optional(Type.String({ minLength: 2 })),
        kind: Type.Optional(oneOf(['A', 'B'], { description: 'A or B.' })),
        labels: Type.Optional(stringMap({ description: 'Labels.' })),
        tags: Type.Optional(
          Type.Array(Type.String(), { maxItems: 2, minItems: 1, 'x-kubernetes-list-type': 'set' }),
        ),
        parts: Type.Optional(
          Type.Array(Type.Object({ id: Type.String(), on: Type.Optional(Type.Boolean({ default: true })) })),
        ),
        options: Type.Optional(
          Type.Object({ mode: Type.String({ default: 'x' }) }, { default: { mode: 'y' } }),
        ),
      },
      { default: {} },
    ),
    status: Type.Object({ conditions: Type.Optional(conditionsSchema) }, { default: {} }),
  }),
});
const compiledWidget = compileSchema(widget);
const secret = compileSchema(sharedSecret);
const config = compileSchema(configMap);

const make = (
  definition: typeof widget | typeof sharedSecret | typeof configMap | typeof namespace,
  rest: object,
) =>
  ({
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: { name: 'a' },
    ...rest,
  }) as KubeObject;

describe('check', () => {
  const cases: [object, string[]][] = [
    [{ count: 3, name: 'abc', tags: ['a'], parts: [{ id: 'x' }] }, []],
    [
      { count: 'x' },
      ['spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"'],
    ],
    [
      { count: 1.5 },
      ['spec.count: Invalid value: "number": spec.count in body must be of type integer: "number"'],
    ],
    [
      { count: -1 },
      ['spec.count: Invalid value: -1: spec.count in body should be greater than or equal to 0'],
    ],
    [{ count: 10 }, ['spec.count: Invalid value: 10: spec.count in body should be less than or equal to 9']],
    [{ name: 'abcd' }, ['spec.name: Too long: may not be more than 3 bytes']],
    [{ name: 'A' }, ['spec.name: Invalid value: "A": spec.name in body should match \'^[a-z]*$\'']],
    [{ long: 'a' }, ['spec.long: Invalid value: "a": spec.long in body should be at least 2 chars long']],
    [{ kind: 'C' }, ['spec.kind: Unsupported value: "C": supported values: "A", "B"']],
    [{ tags: ['a', 'b', 'c'] }, ['spec.tags: Too many: 3: must have at most 2 items']],
    [{ tags: [] }, ['spec.tags: Invalid value: []: spec.tags in body should have at least 1 items']],
    [{ tags: ['a', 'a'] }, ['spec.tags[1]: Duplicate value: "a"']],
    [{ parts: [{ id: 'x' }, {}] }, ['spec.parts[1].id: Required value']],
    [
      { parts: ['x'] },
      ['spec.parts[0]: Invalid value: "string": spec.parts[0] in body must be of type object: "string"'],
    ],
    [
      { labels: { 'a/b~c': 1 } },
      [
        'spec.labels[a/b~c]: Invalid value: "integer": spec.labels[a/b~c] in body must be of type string: "integer"',
      ],
    ],
    [
      { count: -1, kind: 'C' },
      [
        'spec.count: Invalid value: -1: spec.count in body should be greater than or equal to 0',
        'spec.kind: Unsupported value: "C": supported values: "A", "B"',
      ],
    ],
  ];
  test.each(cases)('%j', (spec, expected) => {
    const errors = compiledWidget.check(make(widget, { spec, status: {} }));
    expect(errors.map((error) => aggregate([error]))).toEqual(expected);
  });

  test('reports a spec of another type', () => {
    const object = make(widget, { spec: 'text', status: [] });
    expect(compiledWidget.prune(object)).toEqual([]);
    compiledWidget.applyDefaults(object);
    const errors = compiledWidget.check(object);
    expect(errors.map(({ path, type }) => [path, type])).toEqual([
      ['spec', 'FieldValueTypeInvalid'],
      ['status', 'FieldValueTypeInvalid'],
    ]);
  });

  test('requires complete conditions with unique types', () => {
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Yes',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const check = (conditions: unknown[]) =>
      secret
        .check(make(sharedSecret, { spec: {}, status: { conditions } }))
        .map((error) => aggregate([error]));
    expect(check([condition])).toEqual([]);
    expect(check([condition, condition])).toEqual([
      'status.conditions[1]: Duplicate value: {"type":"Ready"}',
    ]);
    expect(check([{ ...condition, lastTransitionTime: 'now' }])).toEqual([
      'status.conditions[0].lastTransitionTime: Invalid value: "now": status.conditions[0].lastTransitionTime in body must be of type date-time: "now"',
    ]);
    expect(check([{}])).toEqual([
      'status.conditions[0].type: Required value',
      'status.conditions[0].status: Required value',
      'status.conditions[0].lastTransitionTime: Required value',
      'status.conditions[0].reason: Required value',
      'status.conditions[0].message: Required value',
    ]);
  });

  test('limits the errors of a hostile body', () => {
    const parts = Array.from({ length: 200_000 }, () => 1);
    expect(compiledWidget.check(make(widget, { spec: { parts }, status: {} }))).toHaveLength(1);
  });
});

describe('applyDefaults', () => {
  test.each([
    [{}, { spec: { count: 3, options: { mode: 'y' } }, status: {} }],
    [{ spec: null }, { spec: { count: 3, options: { mode: 'y' } }, status: {} }],
    [{ spec: { count: 0, options: {} } }, { spec: { count: 0, options: { mode: 'x' } }, status: {} }],
    [
      { spec: { parts: [{ id: 'a' }, { id: 'b', on: false }] } },
      {
        spec: {
          count: 3,
          options: { mode: 'y' },
          parts: [
            { id: 'a', on: true },
            { id: 'b', on: false },
          ],
        },
        status: {},
      },
    ],
  ])('%j', (given, expected) => {
    const object = make(widget, given);
    compiledWidget.applyDefaults(object);
    expect(object).toEqual(make(widget, expected));
  });

  test('copies defaults for every object', () => {
    const [one, two] = [make(widget, {}), make(widget, {})];
    compiledWidget.applyDefaults(one);
    compiledWidget.applyDefaults(two);
    (one['spec'] as { options: { mode: string } }).options.mode = 'changed';
    expect(two['spec']).toEqual({ count: 3, options: { mode: 'y' } });
  });
});

describe('prune', () => {
  test('returns paths of unknown members in the order of the object', () => {
    const text =
      '{"x":1,"kind":"SharedSecret","apiVersion":"v1","metadata":{"name":"a","oddity":1,"ownerReferences":[{"uid":"u","b":1}]},"y":{},"spec":{"b":1,"":1,"access":[{},{"odd":1}]},"status":{"z":1},"__proto__":{}}';
    const object = JSON.parse(text) as KubeObject;
    expect(secret.prune(object)).toEqual([
      'x',
      'metadata.oddity',
      'metadata.ownerReferences[0].b',
      'y',
      'spec.b',
      'spec.',
      'spec.access[1].odd',
      'status.z',
      '__proto__',
    ]);
    expect(object).toEqual({
      kind: 'SharedSecret',
      apiVersion: 'v1',
      metadata: { name: 'a', ownerReferences: [{ uid: 'u' }] },
      spec: { access: [{}, {}] },
      status: {},
    });
  });

  test('removes null, and replaces it by the empty value in maps and lists', () => {
    const spec = { displayName: null, data: { a: null }, access: [null, { verbs: [null], users: null }] };
    const object = make(sharedSecret, { spec, status: null });
    expect(secret.prune(object)).toEqual([]);
    expect(object).toEqual(make(sharedSecret, { spec: { data: { a: '' }, access: [{}, { verbs: [''] }] } }));
  });

  test("removes empty values of metadata and of Kubernetes' own kinds, not of other kinds", () => {
    const metadata = {
      name: 'a',
      labels: {},
      finalizers: [],
      generateName: '',
      managedFields: [],
      deletionGracePeriodSeconds: 0,
    };
    const builtIn = make(configMap, {
      metadata: { ...metadata },
      data: {},
      binaryData: { a: '' },
      immutable: false,
    });
    config.prune(builtIn);
    expect(builtIn).toEqual(
      make(configMap, {
        metadata: { name: 'a', managedFields: [], deletionGracePeriodSeconds: 0 },
        binaryData: { a: '' },
        immutable: false,
      }),
    );
    const own = make(sharedSecret, {
      metadata: { ...metadata },
      spec: { displayName: '', data: {}, access: [] },
    });
    secret.prune(own);
    expect(own).toEqual(
      make(sharedSecret, {
        metadata: { name: 'a', deletionGracePeriodSeconds: 0 },
        spec: { displayName: '', data: {}, access: [] },
      }),
    );
  });

  test('converts bytes and times to the text of Go', () => {
    const object = make(configMap, {
      metadata: { name: 'a', deletionTimestamp: '2020-01-01T00:00:00.5+02:00' },
      binaryData: { a: 'Zh==', b: 'Zg==\n', c: [102, null], d: [], e: null },
    });
    config.prune(object);
    expect(object).toEqual(
      make(configMap, {
        metadata: { name: 'a', deletionTimestamp: '2019-12-31T22:00:00Z' },
        binaryData: { a: 'Zg==', b: 'Zg==', c: 'ZgA=', d: '', e: '' },
      }),
    );
  });

  test('keeps base64 of other kinds unchanged', () => {
    const object = make(sharedSecret, { spec: { data: { a: 'Zh==' } } });
    secret.prune(object);
    expect(object).toEqual(make(sharedSecret, { spec: { data: { a: 'Zh==' } } }));
  });

  test('keeps free-form members unchanged', () => {
    const managedFields = [{ manager: 'm', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} }, n: null } }];
    const object = make(configMap, { metadata: { name: 'a', managedFields } });
    expect(config.prune(object)).toEqual([]);
    expect(object.metadata.managedFields).toEqual(managedFields);
  });
});

describe('typeMismatch', () => {
  const lease = compileSchema({
    ...configMap,
    kind: 'Lease',
    schema: Type.Object({
      spec: Type.Object({ renewTime: microTime({ description: 't' }), n: Type.Integer({ format: 'int32' }) }),
    }),
  });
  test.each([
    [config, { data: { a: 'b' }, binaryData: { b: 'Zg==' } }, undefined],
    [config, { data: null, metadata: { labels: { a: null }, creationTimestamp: null } }, undefined],
    [
      config,
      { data: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      config,
      { data: { a: 1 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      config,
      { immutable: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
    ],
    [config, { binaryData: { a: '1' } }, 'illegal base64 data at input byte 0'],
    [config, { binaryData: { a: [0, 255, null], b: [], c: null } }, undefined],
    [
      config,
      { binaryData: { a: [256] } },
      'json: cannot unmarshal number 256 into Go struct field ConfigMap.binaryData of type uint8',
    ],
    [
      config,
      { binaryData: { a: ['x'] } },
      'json: cannot unmarshal string into Go struct field ConfigMap.binaryData of type uint8',
    ],
    [
      config,
      { binaryData: { a: true } },
      'json: cannot unmarshal bool into Go struct field ConfigMap.binaryData of type []uint8',
    ],
    [
      config,
      { metadata: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      secret,
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      secret,
      { metadata: { ownerReferences: [{ controller: 'x' }] } },
      'json: cannot unmarshal string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
    ],
    [
      secret,
      { metadata: { deletionTimestamp: 'soon' } },
      'parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
    ],
    [secret, { spec: 1 }, undefined],
    [secret, { metadata: { managedFields: [{ fieldsV1: 'x' }, { fieldsV1: [1] }] } }, undefined],
    [lease, { spec: { renewTime: '2026-01-01T00:00:00.000000Z', n: 1 } }, undefined],
    [
      lease,
      { spec: { renewTime: '2026-01-01T00:00:00Z' } },
      'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      lease,
      { spec: { n: 2 ** 31 } },
      'json: cannot unmarshal number into Go struct field Lease.spec.n of type int32',
    ],
  ])('case %#', (schema, rest, expected) => {
    expect(schema.typeMismatch(make(configMap, rest))).toBe(expected);
  });

  test('is thrown by decodeTypes as a 400 that names the kind', () => {
    const thrown = (): void => secret.decodeTypes(make(sharedSecret, { metadata: { name: 1 } }));
    expect(thrown).toThrow(
      'SharedSecret in version "v1" cannot be handled as a SharedSecret: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    );
    try {
      thrown();
    } catch (error) {
      expect((error as StatusError).code).toBe(400);
    }
  });
});

describe('fingerprint', () => {
  test('depends on everything except descriptions', () => {
    const base = { ...configMap, schema: Type.Object({ a: Type.String({ description: 'one' }) }) };
    const print = (a: object): string =>
      compileSchema({ ...base, schema: Type.Object({ a: Type.Unsafe<string>({ type: 'string', ...a }) }) })
        .fingerprint;
    expect(print({ description: 'two' })).toBe(compileSchema(base).fingerprint);
    expect(print({ default: 'x' })).not.toBe(compileSchema(base).fingerprint);
    expect(secret.fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });
});
