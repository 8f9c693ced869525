import { expect, test } from '@jest/globals';
import { entryOf, type ResourceStore } from '../../registry/resourcestore.js';
import { LIST_TAIL, listLength, listChunks, wholeList } from './listbody.js';

const TEXT = '{"kind":"K","metadata":{"name":"é"},"data":"';

const entriesOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) =>
    entryOf({ namespace: 'ns', name: `o-${index}` }, 1, Buffer.from(`${TEXT}${'x'.repeat(bytes)}"}`)),
  );

test.each([
  ['nothing', 0, 0, false],
  ['one', 1, 10, false],
  ['items with commas', 3, 10, true],
  ['several chunks', 300, 1000, false],
  ['several chunks of a built-in kind', 300, 1000, true],
  ['items larger than a chunk', 3, 200 * 1024, true],
  ['a tail that does not fit', 1, 128 * 1024 - Buffer.byteLength(TEXT) - 3, false],
])('a list of %s has the announced length', (_, count, bytes, builtIn) => {
  const store = { definition: { builtIn }, codec: { metadataOffset: TEXT.indexOf('"metadata"') } };
  const head = Buffer.from('{"items":[');
  const entries = entriesOf(count, bytes);
  const list = Buffer.concat([...listChunks(store as ResourceStore, head, entries)]);
  expect(list.subarray(-LIST_TAIL.length)).toEqual(LIST_TAIL);
  expect((JSON.parse(list.toString()) as { items: object[] }).items).toHaveLength(count);
  expect(listLength(store as ResourceStore, head, entries)).toBe(list.length);
  expect(wholeList(store as ResourceStore, head, entries).equals(list)).toBe(true);
});
