import { expect, test } from '@jest/globals';
import { StorageError, type Storage, type Write } from './interface.js';
import { FORMAT_KEY, checkStoreFormat, NewerStore, raiseFormat, refuseNewer } from './storeformat.js';

/** A store with one record, in which a commit conflicts with another server's write once. */
function storeOf(
  text?: string,
  meanwhile?: string,
): Pick<Storage, 'get' | 'commit'> & { text(): string | undefined } {
  let [value, revision, other] = [text, 1, meanwhile];
  return {
    get: async (key) => ({
      revision,
      record: value === undefined ? undefined : { key, value: Buffer.from(value), revision },
    }),
    async commit(writes: readonly Write[]) {
      const [write] = writes;
      if (other !== undefined) {
        [value, other, revision] = [other, undefined, revision + 1];
        const current = { key: FORMAT_KEY, value: Buffer.from(value as string), revision };
        throw new StorageError({ code: 'conflict', key: FORMAT_KEY, current });
      }
      [value, revision] = [write?.value?.toString(), revision + 1];
      return { revision, revisions: [revision] } as unknown as Awaited<ReturnType<Storage['commit']>>;
    },
    text: () => value,
  };
}
const of = (format: number, oldest: number): string => JSON.stringify({ format, oldest, program: '9.9.0' });

test.each([
  [of(1, 1), true],
  [of(7, 1), true],
  [of(7, 2), false],
  [of(2, 2), false],
  ['{"format":1}', false],
  ['{"format":1,"oldest":"1","program":"1"}', false],
  ['{"format":1,"oldest":0,"program":"1"}', false],
  ['{"format":1,"oldest":1,"program":"1\\n2"}', false],
  ['null', false],
  ['[', false],
])('a store of %s may be opened: %s', async (text, opens) => {
  const judged = async () => checkStoreFormat({ value: Buffer.from(text) }, 'the store', 1);
  if (opens) return expect(await judged()).toMatchObject({ format: expect.any(Number) });
  await expect(judged()).rejects.toThrow(NewerStore);
  const store = storeOf(text);
  await expect(raiseFormat(store, '1.0.0', { format: 1, oldest: 1 })).rejects.toThrow(NewerStore);
  expect(store.text()).toBe(text);
});

test('raises an earlier format, and keeps the current one and later compatible ones', async () => {
  expect(await refuseNewer(storeOf())).toBeUndefined();
  const before = storeOf();
  expect(await raiseFormat(before, '1.0.0', { format: 2, oldest: 1 })).toBe(true);
  expect(JSON.parse(before.text() ?? '')).toEqual({ format: 2, oldest: 1, program: '1.0.0' });
  expect(await raiseFormat(before, '1.0.1', { format: 2, oldest: 1 })).toBe(false);
  expect(await raiseFormat(before, '2.0.0', { format: 3, oldest: 3 })).toBe(true);
  await expect(raiseFormat(before, '1.0.1', { format: 2, oldest: 1 })).rejects.toThrow(
    /start release 2\.0\.0/,
  );
});

test('agrees on the format when servers raise it concurrently', async () => {
  const same = storeOf(undefined, of(1, 1));
  expect(await raiseFormat(same, '1.0.0', { format: 1, oldest: 1 })).toBe(false);
  const newer = storeOf(undefined, of(2, 2));
  await expect(raiseFormat(newer, '1.0.0', { format: 1, oldest: 1 })).rejects.toThrow(NewerStore);
});
