import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ConfigMap } from '../../../../api/core/v1/configmap.js';
import { Namespace } from '../../../../api/core/v1/namespace.js';
import { readVectors } from '../../../../test/vectors/read.js';
import { testVectors } from '../../../../test/vectors/table.js';
import { KINDS } from '../../../management/kinds.js';
import { DecodeError } from '../json.js';
import { DELETE_OPTIONS } from './documents.js';
import { open, seal } from './envelope.js';
import { kindMessage } from './fromschema.js';
import { protobufOf, type KindProtobuf } from './kind.js';
import type { Message } from './message.js';

const RESOURCES = KINDS.map(({ definition }) => definition);

interface Vector {
  go: string;
}

const configMap = (protobufOf(ConfigMap) as KindProtobuf).object;

const vectors = readVectors<Vector>('protobuf');

describe('vectors', () => testVectors('protobuf'));

function numbersOf({ fields }: Message, path: string): string[] {
  return fields.flatMap(({ name, number, type }) => {
    const own = `${path}:${number}`;
    return typeof type === 'object' ? [own, ...numbersOf(type, `${path}.${name}`)] : [own];
  });
}

test.each(RESOURCES.filter((each) => protobufOf(each)))(
  '$kind: every field has a number of its own',
  (kind) => {
    const numbers = numbersOf(kindMessage(kind), kind.kind);
    expect(numbers.length).toBe(new Set(numbers).size);
    expect(kindMessage(kind).fields[0]).toMatchObject({ name: 'metadata', number: 1 });
  },
);

describe('round trips', () => {
  const text = fc.string({ unit: 'grapheme' });
  const map = (value: fc.Arbitrary<unknown>) =>
    fc.dictionary(text, value, { minKeys: 1, noNullPrototype: true });
  const optional = <T>(fields: Record<string, fc.Arbitrary<T>>) => fc.record(fields, { requiredKeys: [] });
  const filled = fc.string({ unit: 'grapheme', minLength: 1 });
  const time = fc
    .integer({ min: -60_000_000_000, max: 253_402_300_799 })
    .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);
  const owner = fc.record(
    { apiVersion: text, kind: text, name: text, uid: text, controller: fc.boolean() },
    { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
  );
  const managed = optional<unknown>({
    manager: filled,
    time,
    fieldsV1: fc.jsonValue().filter((value) => typeof value === 'object' && value !== null),
  });
  const metadata = optional<unknown>({
    name: filled,
    labels: map(text),
    generation: fc.integer({ min: 1 }),
    creationTimestamp: time,
    deletionGracePeriodSeconds: fc.maxSafeInteger(),
    finalizers: fc.array(text, { minLength: 1 }),
    ownerReferences: fc.array(owner, { minLength: 1 }),
    managedFields: fc.array(managed, { minLength: 1 }),
  });
  const object = fc.record(
    {
      metadata,
      data: map(text),
      binaryData: map(fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64'))),
      immutable: fc.boolean(),
    },
    { requiredKeys: ['metadata'] },
  );

  test('of ConfigMaps', () => {
    fc.assert(
      fc.property(object, (value) => {
        const decoded = configMap.decode(configMap.encode(value));
        expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('untrusted bytes', () => {
  const decodes = (bytes: Uint8Array): void => {
    for (const decode of [(raw: Buffer) => open(raw), configMap.decode, DELETE_OPTIONS.decode]) {
      try {
        decode(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
      }
    }
  };

  test('decode or throw DecodeError if random', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), decodes), { numRuns: 2000 });
  });

  test('decode or throw DecodeError if changed or truncated', () => {
    const whole = vectors.map(({ go }) => Buffer.from(go, 'hex'));
    const damage = fc.record({
      which: fc.nat(whole.length - 1),
      at: fc.nat(),
      to: fc.nat(255),
      cut: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ which, at, to, cut }) => {
        const bytes = Buffer.from(whole[which] as Buffer);
        const place = at % bytes.length;
        bytes[place] = to;
        const damaged = cut ? bytes.subarray(0, place) : bytes;
        decodes(damaged);
        decodes(damaged.subarray(damaged.indexOf(0x12) + 2));
      }),
      { numRuns: 3000 },
    );
  });

  test.each(
    [
      ['', 'empty data'],
      ['6b387300', 'empty body'],
      ['7b7d', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
      ['6b3873000a', 'unexpected EOF'],
      ['6b387300127f00', 'unexpected EOF'],
      ['6b3873000a0200', 'unexpected EOF'],
      ['6b38730008', 'proto: wrong wireType = 0 for field typeMeta'],
      ['6b38730000', 'proto: illegal tag 0 (wire type 0)'],
      ['6b387300' + '2b'.repeat(5000), 'proto: maximum nesting depth exceeded'],
    ].map(([hex = '', message = '']) => ({ hex, message, begin: hex.slice(0, 20) })),
  )('an envelope $begin… is refused: $message', ({ hex, message }) => {
    expect(() => open(Buffer.from(hex, 'hex'))).toThrow(new DecodeError(message));
  });

  test.each([
    ['time beyond the year 9999', '0a0a420808808080d3c50e'],
    ['a nested message longer than the one around it', '0a030a056162636465'],
  ])('%s is refused', (_what, hex) => {
    expect(() => configMap.decode(Buffer.from(hex, 'hex'))).toThrow(DecodeError);
  });

  test('may have managed fields that are no JSON, which stay text', () => {
    const { metadata } = configMap.decode(Buffer.from('0a098a01063a040a027b7b', 'hex'));
    expect(metadata).toEqual({ managedFields: [{ fieldsV1: '{{' }] });
  });

  test('may have unknown fields of every wire type, which are skipped', () => {
    const unknown = '80 06 01  89 06 0102030405060708  92 06 03 616263  9b 06 08 01 9c 06  9d 06 01020304';
    const bytes = Buffer.concat([
      Buffer.from(unknown.replaceAll(' ', ''), 'hex'),
      configMap.encode({ data: { a: 'b' } }),
    ]);
    expect(configMap.decode(bytes)).toEqual({ metadata: {}, data: { a: 'b' } });
  });

  test('may repeat a message, which is merged, and an entry of a map, which is replaced', () => {
    const bytes = Buffer.concat([
      configMap.encode({ metadata: { name: 'a', labels: { x: '1' } }, data: { k: '1', l: '1' } }),
      configMap.encode({ metadata: { namespace: 'b', labels: { y: '2' } }, data: { k: '2' } }),
    ]);
    expect(configMap.decode(bytes)).toEqual({
      // The second has an empty name, like everything that Go encodes.
      metadata: { namespace: 'b', labels: { x: '1', y: '2' } },
      data: { k: '2', l: '1' },
    });
  });

  test('may have the key __proto__', () => {
    const { data } = configMap.decode(Buffer.from('120f0a095f5f70726f746f5f5f12026869', 'hex')) as {
      data: object;
    };
    expect(Object.getOwnPropertyNames(data)).toEqual(['__proto__']);
  });
});

test('an envelope decodes to the sealed bytes', () => {
  const raw = Buffer.from('any bytes');
  const type = { apiVersion: 'v1', kind: Namespace.kind };
  expect(open(seal(type, raw))).toEqual({ ...type, raw });
  expect(open(Buffer.from('6b3873001200', 'hex'))).toEqual({
    apiVersion: '',
    kind: '',
    raw: Buffer.alloc(0),
  });
});
