import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { patchTypeOf, type PatchMeta } from '../../../test/vectors/judge/strategicmerge.js';
import { readVectorText } from '../../../test/vectors/read.js';
import { testVectors } from '../../../test/vectors/table.js';
import { KINDS } from '../../management/kinds.js';
import { printGo } from './printgo.js';
import { applyStrategicMergePatch } from './strategicmerge.js';
import { compilePatchType, type PatchType } from './strategicmergetype.js';

const { patchMeta } = JSON.parse(readVectorText('schemas.json')) as { patchMeta: PatchMeta };

describe('vectors', () => testVectors('strategicmerge'));

/** `path strategy key`, for every member that has a strategy. */
function strategiesOf(type: PatchType, path = ''): string[] {
  if (type.shape === 'list') return strategiesOf(type.items, `${path}[]`);
  if (type.shape !== 'struct') return [];
  return [...type.fields].flatMap(([name, field]) => {
    const own = field.strategy === undefined ? [] : [`${path}.${name} ${field.strategy} ${field.mergeKey}`];
    return [...own, ...strategiesOf(field.type, `${path}.${name}`)];
  });
}

describe('merge strategies equal those of Kubernetes for', () => {
  const known = KINDS.filter(({ definition }) => patchMeta.kinds[definition.kind] !== undefined);
  test.each(known.map(({ definition }) => [definition.kind, definition] as const))(
    '%s',
    (kind, definition) => {
      const expected = strategiesOf(patchTypeOf(patchMeta, kind));
      expect(expected).toContain('.metadata.ownerReferences merge uid');
      expect(strategiesOf(compilePatchType(definition)).sort()).toEqual(expected.sort());
    },
  );
});

describe('names of JavaScript are ordinary members', () => {
  const type = patchTypeOf(patchMeta, 'ConfigMap');
  const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;
  test.each([
    ['new', '{}', '{"data":{"__proto__":"x"}}', '{"data":{"__proto__":"x"}}'],
    ['changed', '{"data":{"__proto__":"x"}}', '{"data":{"__proto__":"y"}}', '{"data":{"__proto__":"y"}}'],
    ['deleted', '{"data":{"__proto__":"x"}}', '{"data":{"__proto__":null}}', '{"data":{}}'],
    ['whole', '{}', '{"__proto__":{"a":"b"}}', '{"__proto__":{"a":"b"}}'],
    ['constructor', '{"data":{}}', '{"data":{"constructor":"c"}}', '{"data":{"constructor":"c"}}'],
  ])('%s', (_, document, patch, expected) => {
    expect(JSON.stringify(applyStrategicMergePatch(parse(document), parse(patch), type))).toBe(expected);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });
});

test.each([
  [null, '<nil>'],
  [{ b: [1, 'x', null, true], a: {} }, 'map[a:map[] b:[1 x <nil> true]]'],
  [0.00001, '1e-05'],
  [0.0001, '0.0001'],
  [1e21, '1e+21'],
  [-1.5, '-1.5'],
])('%j prints as Go prints it', (value, text) => {
  expect(printGo(value)).toBe(text);
});

test.each(['{}', '[]', '{"name":"a"}', '"a",{}', '{"$patch":"delete"}'])(
  '$setElementOrder of a list of scalars with %s is refused',
  (elements) => {
    const type = patchTypeOf(patchMeta, 'ConfigMap');
    const live = { metadata: { finalizers: ['a', 'b'] } };
    const order = JSON.parse(`[${elements}]`) as JsonValue;
    const patch = { metadata: { '$setElementOrder/finalizers': order } };
    expect(() => applyStrategicMergePatch(live, patch, type)).toThrow('expected a scalar');
    const sorted = { metadata: { '$setElementOrder/finalizers': ['b', 5, null, 'a'] } };
    expect(applyStrategicMergePatch(live, sorted, type)).toEqual({ metadata: { finalizers: ['b', 'a'] } });
  },
);
