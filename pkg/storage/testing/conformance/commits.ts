/** What a commit requires and does, alone in the store. */
import { expect } from '@jest/globals';
import type { Expectation, Guard, Storage, StorageFailure, Write } from '../../interface.js';
import { at, commitOne, failureOf, put, remove, stateOf, valueOf, type StorageCase } from './case.js';

type State = 'absent' | 'deleted' | 'present';
type Asked = 'absent' | 'present' | 'any' | 'its revision' | 'another revision' | 'a deleted revision';
type Outcome = 'done' | StorageFailure['code'];

const STATES: readonly State[] = ['absent', 'deleted', 'present'];

/** What a put, a delete and a guard do with each expectation: [key absent, key present]. */
const OUTCOMES: Readonly<Record<Asked, Record<'put' | 'delete' | 'guard', readonly [Outcome, Outcome]>>> = {
  absent: { put: ['done', 'exists'], delete: ['done', 'exists'], guard: ['done', 'exists'] },
  present: { put: ['not found', 'done'], delete: ['not found', 'done'], guard: ['not found', 'done'] },
  any: { put: ['done', 'done'], delete: ['not found', 'done'], guard: ['done', 'done'] },
  'its revision': { put: ['not found', 'done'], delete: ['not found', 'done'], guard: ['not found', 'done'] },
  'another revision': {
    put: ['not found', 'conflict'],
    delete: ['not found', 'conflict'],
    guard: ['not found', 'conflict'],
  },
  'a deleted revision': {
    put: ['not found', 'conflict'],
    delete: ['not found', 'conflict'],
    guard: ['not found', 'conflict'],
  },
};

/** Brings `key` into `state`; answers the revision of its last write, if any. */
async function prepare(storage: Storage, key: string, state: State): Promise<number | undefined> {
  if (state === 'absent') return undefined;
  const first = await commitOne(storage, put(key, 'old'));
  if (state === 'present') return first;
  await commitOne(storage, remove(key));
  return first;
}

function expectationOf(asked: Asked, own: number | undefined, other: number, gone: number): Expectation {
  switch (asked) {
    case 'its revision':
      return own ?? other;
    case 'another revision':
      return other;
    case 'a deleted revision':
      return gone;
    default:
      return asked;
  }
}

/** Deleting with 'absent' has nothing to delete, so the table leaves that out. */
const COMPARE_AND_SET: readonly StorageCase[] = (['put', 'delete', 'guard'] as const).flatMap((verb) =>
  STATES.flatMap((state) =>
    (Object.keys(OUTCOMES) as Asked[])
      .filter((asked) => !(verb === 'delete' && asked === 'absent' && state !== 'present'))
      .map((asked) => compareAndSet(verb, state, asked)),
  ),
);

function compareAndSet(verb: 'put' | 'delete' | 'guard', state: State, asked: Asked): StorageCase {
  const outcome = at(OUTCOMES[asked][verb], state === 'present' ? 1 : 0);
  return {
    name: `${verb} of a key that is ${state}, expecting ${asked}: ${outcome}`,
    run: async ({ storage }) => {
      const other = await commitOne(storage, put('other', 'o'));
      const gone = (await prepare(storage, 'gone', 'deleted')) ?? 0;
      const own = await prepare(storage, 'key', state);
      const expected = expectationOf(asked, own, other, gone);
      const before = await stateOf(storage);
      const writes: Write[] =
        verb === 'guard'
          ? [put('witness', 'w')]
          : [verb === 'put' ? put('key', 'new', expected) : remove('key', expected)];
      const guards: Guard[] = verb === 'guard' ? [{ key: 'key', expect: expected }] : [];
      const call = storage.commit(writes, guards);
      if (outcome !== 'done') {
        const current = { key: 'key', value: Buffer.from('old'), revision: own };
        const failure = await failureOf(call);
        expect(failure).toEqual(
          outcome === 'not found' ? { code: outcome, key: 'key' } : { code: outcome, key: 'key', current },
        );
        expect(await stateOf(storage)).toEqual(before);
        return;
      }
      const revision = at((await call).revisions, 0);
      expect(revision).toBeGreaterThan(other);
      if (verb === 'put') {
        expect((await storage.get('key')).record).toEqual({
          key: 'key',
          value: Buffer.from('new'),
          revision,
        });
      } else if (verb === 'delete') expect((await storage.get('key')).record).toBeUndefined();
      else expect(await valueOf(storage, 'witness')).toBe('w');
    },
  };
}

const WHOLE: readonly StorageCase[] = [
  {
    name: 'a commit of several writes does all of them, at increasing revisions',
    run: async ({ storage }) => {
      await commitOne(storage, put('b', 'old'));
      const { revisions } = await storage.commit([
        put('a', '1'),
        remove('b', 'present'),
        put('c', '3', 'absent'),
      ]);
      expect(revisions).toHaveLength(3);
      expect(at(revisions, 1)).toBeGreaterThan(at(revisions, 0));
      expect(at(revisions, 2)).toBeGreaterThan(at(revisions, 1));
      const { records } = await storage.scan({ start: 'a', end: 'd' });
      expect(records.map((one) => [one.key, one.revision])).toEqual([
        ['a', revisions[0]],
        ['c', revisions[2]],
      ]);
    },
  },
  ...[0, 1, 2].map((failing): StorageCase => ({
    name: `a commit of three writes whose number ${failing + 1} fails does nothing`,
    run: async ({ storage }) => {
      await commitOne(storage, put('taken', 'old'));
      const before = await storage.currentRevision();
      const writes = [put('a', '1', 'absent'), put('b', '2', 'any'), put('c', '3', 'absent')];
      writes[failing] = put('taken', 'new', 'absent');
      expect((await failureOf(storage.commit(writes))).code).toBe('exists');
      expect(await stateOf(storage)).toEqual(['taken=old']);
      expect(await stateOf(storage, undefined, before)).toEqual(['taken=old']);
    },
  })),
  {
    name: 'a commit whose last guard fails does nothing',
    run: async ({ storage }) => {
      await commitOne(storage, put('guarded', 'g'));
      const guards: Guard[] = [
        { key: 'guarded', expect: 'present' },
        { key: 'missing', expect: 'present' },
      ];
      const failure = await failureOf(storage.commit([put('a'), put('b')], guards));
      expect(failure).toEqual({ code: 'not found', key: 'missing' });
      expect(await stateOf(storage)).toEqual(['guarded=g']);
    },
  },
  {
    name: 'the first failing expectation is the one reported: writes in order, then guards',
    run: async ({ storage }) => {
      await storage.commit([put('x', 'x'), put('y', 'y')]);
      const guards: Guard[] = [{ key: 'x', expect: 'absent' }];
      const fail = (writes: Write[]) => failureOf(storage.commit(writes, guards));
      expect(await fail([put('y', 'n', 'absent'), put('z', 'n', 'present')])).toMatchObject({ key: 'y' });
      expect(await fail([put('z', 'n', 'present'), put('y', 'n', 'absent')])).toMatchObject({ key: 'z' });
      expect(await fail([put('z', 'n', 'absent'), put('y', 'n', 'present')])).toMatchObject({ key: 'x' });
    },
  },
  {
    name: 'a guard changes neither its key nor the revision of the key',
    run: async ({ storage }) => {
      const revision = await commitOne(storage, put('guarded', 'g'));
      await storage.commit([put('a')], [{ key: 'guarded', expect: revision }]);
      expect((await storage.get('guarded')).record?.revision).toBe(revision);
    },
  },
  {
    name: 'a recreated key has a new revision, and the old one conflicts',
    run: async ({ storage }) => {
      const first = await commitOne(storage, put('key', 'one'));
      const gone = await commitOne(storage, remove('key', first));
      const second = await commitOne(storage, put('key', 'two', 'absent'));
      expect(first < gone && gone < second).toBe(true);
      const failure = await failureOf(storage.commit([put('key', 'three', first)]));
      expect(failure).toMatchObject({ code: 'conflict', current: { revision: second } });
    },
  },
];

export const commitCases: readonly StorageCase[] = [...COMPARE_AND_SET, ...WHOLE];
