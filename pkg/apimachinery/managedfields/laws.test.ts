/** Properties of field sets and of apply, on generated objects of a kind with every merge rule. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { readMergeKinds } from '../../../test/vectors/mergekinds.js';
import { runToCompletion } from '../eventloop/slices.js';
import { applySteps, type Application } from './applyconfig.js';
import { fieldElement, keyElement, valueElement } from './fieldpath/element.js';
import {
  difference,
  equalSets,
  intersection,
  leavesOf,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
  type FieldNode,
  type FieldSet,
} from './fieldpath/fieldset.js';
import { fieldsV1Of, readFieldsV1 } from './fieldpath/fieldsv1.js';
import { printFieldsV1 } from './testing/printfieldsv1.js';
import { compileMergeType } from './typed/mergeschema.js';
import { equalValues } from './fieldpath/order.js';
import { decodeOwners } from './owners.js';
import { toFieldSet } from './typed/tofieldset.js';
import { blankObject, ownable, type TrackedKind } from './trackedkind.js';

function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldNode | undefined;
  let level: FieldSet | undefined = set;
  for (const step of path) {
    node = level?.get(step);
    level = node?.children;
  }
  return node?.member ?? false;
}

const element = fc.oneof(
  fc.string().map(fieldElement),
  fc.jsonValue({ maxDepth: 1 }).map((value) => valueElement(value as JsonValue)),
  fc.record({ b: fc.integer(), a: fc.string() }).map(({ a, b }) =>
    keyElement([
      { name: 'a', value: a },
      { name: 'b', value: b },
    ]),
  ),
  fc.integer().map((index) => `i:${index}`),
);
const fieldSet = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map((paths) => setOf(...paths));
/** Sets that are likely to share paths. */
const nearSet = fc
  .array(fc.array(fc.constantFrom('f:a', 'f:b', 'f:c'), { minLength: 1, maxLength: 4 }), { maxLength: 10 })
  .map((paths) => setOf(...paths));
const members = (set: FieldSet): Set<string> => new Set(pathsOf(set).map((path) => JSON.stringify(path)));

describe('field sets', () => {
  test('a printed set parses to the same set', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const text = printFieldsV1(set);
        expect(equalSets(readFieldsV1(JSON.parse(text)), set)).toBe(true);
        expect(equalSets(readFieldsV1(fieldsV1Of(set)), set)).toBe(true);
        expect(printFieldsV1(readFieldsV1(JSON.parse(text)))).toBe(text);
      }),
    );
  });

  test('operations equal those on sets of paths', () => {
    fc.assert(
      fc.property(nearSet, nearSet, (a, b) => {
        const [left, right] = [members(a), members(b)];
        expect(members(union(a, b))).toEqual(new Set([...left, ...right]));
        expect(members(intersection(a, b))).toEqual(new Set([...left].filter((path) => right.has(path))));
        expect(members(difference(a, b))).toEqual(new Set([...left].filter((path) => !right.has(path))));
        const below = (path: string[]): boolean =>
          path.some((_, index) => right.has(JSON.stringify(path.slice(0, index + 1))));
        const outside = pathsOf(a).filter((path) => !below(path));
        expect(members(recursiveDifference(a, b))).toEqual(
          new Set(outside.map((path) => JSON.stringify(path))),
        );
      }),
    );
  });
});

const gadget = readMergeKinds().get('gadget');
if (gadget === undefined) throw new Error('schemas.json has no gadget');
const kind: TrackedKind = {
  group: gadget.group,
  kind: gadget.kind,
  apiVersions: [`${gadget.group}/v1`],
  type: compileMergeType(gadget.schema),
  always: {},
  resetFields: () => setOf(),
};
const apiVersion = `${gadget.group}/v1`;

const word = fc.constantFrom('a', 'b', 'c');
const small = fc.integer({ min: 0, max: 3 });
const items = <T>(item: fc.Arbitrary<T>, key: (item: T) => unknown): fc.Arbitrary<T[]> =>
  fc.uniqueArray(item, { selector: (each) => JSON.stringify(key(each)), maxLength: 3, minLength: 1 });
const port = fc.record({ port: small, protocol: fc.constantFrom('TCP', 'UDP'), name: word });
const listItem = fc.record(
  { name: word, value: word, count: small, tags: items(word, (tag) => tag) },
  { requiredKeys: ['name', 'value'] },
);
const spec = fc.record(
  {
    name: word,
    replicas: small,
    set: items(word, (item) => item),
    list: items(listItem, ({ name }) => name),
    ports: items(port, (item) => [item.port, item.protocol]),
    atomicList: fc.array(word, { maxLength: 3 }),
    atomicMap: fc.dictionary(word, word, { maxKeys: 2, minKeys: 1 }),
    granularMap: fc.dictionary(word, word, { maxKeys: 3, minKeys: 1 }),
    nest: fc.record({ a: word, b: small }, { requiredKeys: ['a'] }),
    free: fc.dictionary(word, fc.oneof(word, fc.dictionary(word, small, { minKeys: 1 })), { minKeys: 1 }),
  },
  { requiredKeys: [] },
);
const config = fc
  .record({ spec, labels: fc.dictionary(word, word, { maxKeys: 2 }) })
  .map((parts): JsonValue => ({
    apiVersion,
    kind: gadget.kind,
    metadata: { name: 'one', ...(Object.keys(parts.labels).length > 0 && { labels: parts.labels }) },
    ...(Object.keys(parts.spec).length > 0 && { spec: parts.spec as unknown as JsonValue }),
  }));

let second = 0;
const clock = (): string => new Date((second += 1) * 1000).toISOString().replace('.000Z', 'Z');

function apply(live: KubeObject, manager: string, body: JsonValue, force = true): KubeObject {
  const application: Application = { live, config: body, manager, subresource: '', force, now: clock() };
  const object = structuredClone(runToCompletion(applySteps(kind, application)));
  object.metadata.uid = 'u1';
  return object;
}

const nothing = blankObject(kind, apiVersion);
const setOfOwner = (object: KubeObject, manager: string): FieldSet =>
  [...decodeOwners(object.metadata.managedFields).values()].find((owner) => owner.manager === manager)?.set ??
  setOf();
const fieldsOf = (value: JsonValue): FieldSet => ownable(toFieldSet(kind.type, value));
/** The content of an object, independent of the order of items and of managers. */
const content = (object: KubeObject): string => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort();
    if (typeof value !== 'object' || value === null) return value;
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]);
  };
  const { managedFields: _, ...metadata } = object.metadata;
  return JSON.stringify(sorted({ ...object, metadata }));
};

describe('apply', () => {
  test('is idempotent', () => {
    fc.assert(
      fc.property(config, config, (first, body) => {
        const once = apply(apply(nothing, 'other', first), 'm', body);
        expect(equalValues(apply(once, 'm', body, false), once)).toBe(true);
      }),
    );
  });

  test('with force sets and owns the applied fields', () => {
    fc.assert(
      fc.property(config, config, (first, body) => {
        const object = apply(apply(nothing, 'other', first), 'm', body);
        expect(printFieldsV1(setOfOwner(object, 'm'))).toBe(printFieldsV1(fieldsOf(body)));
        for (const path of pathsOf(fieldsOf(body))) {
          expect(hasPath(fieldsOf(object as unknown as JsonValue), path)).toBe(true);
        }
        const again = apply(object, 'm', body, false);
        expect(content(again)).toBe(content(object));
      }),
    );
  });

  test('commutes for two managers without conflicting fields', () => {
    fc.assert(
      fc.property(config, config, (a, b) => {
        const together = (first: [string, JsonValue], then: [string, JsonValue]): KubeObject | undefined => {
          try {
            return apply(apply(nothing, ...first, false), ...then, false);
          } catch {
            return undefined;
          }
        };
        const forth = together(['m1', a], ['m2', b]);
        const back = together(['m2', b], ['m1', a]);
        expect(forth === undefined).toBe(back === undefined);
        if (forth === undefined || back === undefined) return;
        expect(content(forth)).toBe(content(back));
        for (const manager of ['m1', 'm2']) {
          expect(equalSets(setOfOwner(forth, manager), setOfOwner(back, manager))).toBe(true);
        }
      }),
    );
  });

  test('removes no field of another manager when it gives up its own', () => {
    fc.assert(
      fc.property(config, config, config, (others, before, after) => {
        const both = apply(apply(nothing, 'm', before), 'other', others);
        const object = apply(both, 'm', after, true);
        const there = fieldsOf(object as unknown as JsonValue);
        for (const path of pathsOf(setOfOwner(object, 'other'))) expect(hasPath(there, path)).toBe(true);
        // A scalar replaces a map with everything in it.
        const untouched = difference(setOfOwner(both, 'other'), fieldsOf(after));
        const kept = recursiveDifference(untouched, leavesOf(fieldsOf(after)));
        expect(equalSets(intersection(setOfOwner(object, 'other'), kept), kept)).toBe(true);
      }),
    );
  });
});
