import { describe, expect, test } from '@jest/globals';
import { contentFor, emptyData, refusedType } from './content.js';
import { FROM_OWNER, FROM_UID, FROM_VERSION, STATUS } from './labels.js';
import { planFor, type LiveSecret, type Wanted } from './plan.js';

const source = { uid: 'u1', resourceVersion: '7', owner: 'o1', data: { a: 'MQ==' } };
const filled: Wanted = { is: 'filled', source, keys: undefined, what: 'SharedSecret default/s' };
const forbidden: Wanted = { is: 'empty', reason: 'Forbidden', message: 'no' };
const SYNCED = { [FROM_UID]: 'u1', [FROM_OWNER]: 'o1', [FROM_VERSION]: '7', [STATUS]: 'Synced' };

function secret(data: object, annotations: object = {}, more: object = {}): LiveSecret {
  return {
    metadata: { name: 's', annotations: { 'of/users': 'x', ...annotations } },
    type: 'Opaque',
    data,
    ...more,
  };
}
const controlled = { metadata: { name: 's', ownerReferences: [{ controller: true }] } };

describe('planFor', () => {
  test.each<[string, LiveSecret, Wanted, object]>([
    ['fills an empty Secret', secret({}), filled, { data: { a: 'MQ==' }, annotations: SYNCED }],
    [
      'removes data that others wrote',
      secret({ b: 'x' }, SYNCED),
      filled,
      { data: { a: 'MQ==' }, annotations: SYNCED },
    ],
    [
      'empties a filled Secret',
      secret({ a: 'MQ==' }, SYNCED),
      forbidden,
      { data: {}, annotations: { [FROM_UID]: 'u1', [FROM_OWNER]: 'o1', [STATUS]: 'Revoked' } },
    ],
    [
      'keeps the data of a Secret that was never filled',
      secret({ own: 'x' }),
      forbidden,
      { data: { own: 'x' }, annotations: { [STATUS]: 'Forbidden' } },
    ],
    [
      'empties a Secret without labels',
      secret({ a: 'MQ==' }, SYNCED),
      { is: 'released' },
      { data: {}, annotations: {} },
    ],
  ])('%s', (_what, live, wanted, { data, annotations }: { data?: object; annotations?: object }) => {
    expect(planFor(live, wanted, false).put).toEqual(secret(data ?? {}, annotations));
  });

  test.each<[string, LiveSecret, Wanted]>([
    ['a complete Secret', secret({ a: 'MQ==' }, SYNCED), filled],
    ['a Secret with the current status', secret({ own: 'x' }, { [STATUS]: 'Forbidden' }), forbidden],
    ['a Secret that was never filled and has no labels', secret({ own: 'x' }), { is: 'released' }],
  ])('leaves %s unchanged', (_what, live, wanted) =>
    expect(planFor(live, wanted, false).put).toBeUndefined(),
  );

  test('empties a Secret that this server filled, even without its annotations', () => {
    expect(planFor(secret({ a: 'MQ==' }), forbidden, true)).toMatchObject({
      put: { data: {} },
      outcome: { reason: 'Revoked' },
    });
  });

  test('keeps an immutable Secret unchanged, and removes it when the right to its data ends', () => {
    const fixed = secret({ a: 'b2xk' }, SYNCED, { immutable: true });
    expect(planFor(fixed, filled, false)).toMatchObject({
      put: { data: { a: 'b2xk' } },
      outcome: { reason: 'Immutable' },
    });
    expect(planFor(fixed, forbidden, false)).toMatchObject({ remove: true });
    expect(planFor(secret({ own: 'x' }, {}, { immutable: true }), forbidden, false).remove).toBeUndefined();
  });

  test.each<[string, LiveSecret, string]>([
    ['controlled by another object', controlled, 'OwnedByAnother'],
    [
      'of a type that logs in',
      secret({}, {}, { type: 'kubernetes.io/service-account-token' }),
      'InvalidType',
    ],
    [
      'filled from one of that name by another',
      secret({}, { [FROM_UID]: 'u0', [FROM_OWNER]: 'o0' }),
      'SourceReplaced',
    ],
  ])('does not fill a Secret %s', (_what, live, reason) => {
    const { put, outcome } = planFor(live, filled, false);
    expect([outcome.reason, put?.data]).toEqual([reason, live.data]);
  });

  test('fills a Secret that was recreated from the same source owner', () => {
    expect(planFor(secret({}, { [FROM_UID]: 'u0', [FROM_OWNER]: 'o1' }), filled, false)).toMatchObject({
      outcome: { reason: 'Synced' },
    });
  });
});

describe('the content of a Secret', () => {
  const JSON_ = Buffer.from('{"auths":{}}').toString('base64');
  test.each<[string, Record<string, string>, Map<string, string> | undefined, object]>([
    ['Opaque', { a: 'MQ==' }, undefined, { data: { a: 'MQ==' } }],
    ['example.com/own', { a: 'MQ==', b: '' }, new Map([['x', 'a']]), { data: { x: 'MQ==' } }],
    ['Opaque', { a: 'MQ==' }, new Map([['x', 'c']]), { why: 'the source has no key "c"' }],
    [
      'Opaque',
      { a: 'MQ==' },
      new Map([['x', 'constructor']]),
      { why: 'the source has no key "constructor"' },
    ],
    [
      'kubernetes.io/tls',
      { 'tls.crt': 'MQ==' },
      undefined,
      { why: 'type kubernetes.io/tls requires the key "tls.key"' },
    ],
    [
      'kubernetes.io/dockerconfigjson',
      { '.dockerconfigjson': JSON_ },
      undefined,
      { data: { '.dockerconfigjson': JSON_ } },
    ],
    [
      'kubernetes.io/dockerconfigjson',
      { '.dockerconfigjson': 'MQ==' },
      undefined,
      { why: 'type kubernetes.io/dockerconfigjson requires a JSON object under the key ".dockerconfigjson"' },
    ],
    ['kubernetes.io/basic-auth', { password: 'MQ==' }, undefined, { data: { password: 'MQ==' } }],
    [
      'Opaque',
      { a: 'A'.repeat(1_100_000) },
      new Map([
        ['x', 'a'],
        ['y', 'a'],
      ]),
      { why: 'the data are more than 1 MiB' },
    ],
  ])('of type %s', (type, data, keys, expected) => expect(contentFor(type, data, keys)).toEqual(expected));

  test('is valid for its type when it is empty', () => {
    expect(emptyData('Opaque')).toEqual({});
    for (const type of ['kubernetes.io/tls', 'kubernetes.io/dockerconfigjson', 'kubernetes.io/ssh-auth'])
      expect(contentFor(type, emptyData(type), undefined)).toEqual({ data: emptyData(type) });
    expect(refusedType('bootstrap.kubernetes.io/token')).toBeDefined();
  });
});
