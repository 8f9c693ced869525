import { expect, test } from '@jest/globals';
import { Failure } from '../../failure.js';
import { ApiError } from '../../../../api/client/apierror.js';
import type { SentEvent } from '../../../../api/client/watch.js';
import { Interrupted } from '../../connection/watch.js';
import { followList, type Listed, type ListState } from './followlist.js';

const item = (id: string, resourceVersion: string): Listed<string> => ({
  id,
  resourceVersion,
  value: `${id}@${resourceVersion}`,
});
const state = (resourceVersion: string, ...items: Listed<string>[]): ListState<string> => ({
  resourceVersion,
  items,
});
interface Sent {
  readonly metadata: { readonly resourceVersion: string };
  readonly state: ListState<string>;
}

const line = (type: string, state: ListState<string>): SentEvent => {
  const resourceVersion = state.items[0]?.resourceVersion ?? state.resourceVersion;
  return { type, object: { metadata: { resourceVersion }, state } };
};
const expired = (): ApiError => new ApiError(410, {});

type Turn = readonly SentEvent[] | Error;

/** The followed rows and the requests, with these answers of the server in turn. */
async function followed(
  lists: readonly (ListState<string> | Error)[],
  watches: readonly Turn[],
  ends: readonly (Error | undefined)[] = [],
): Promise<{ changes: string[]; asked: string[]; interrupted: string[]; end: unknown }> {
  const asked: string[] = [];
  const interrupted: string[] = [];
  const left = { lists: [...lists], watches: [...watches], ends: [...ends] };
  const changes: string[] = [];
  const source = {
    async list() {
      asked.push('list');
      const next = await Promise.resolve(left.lists.shift() ?? new Failure('failed', 'no more lists'));
      if (next instanceof Error) throw next;
      return next;
    },
    async *watch(since: string, opened: () => void) {
      asked.push(since);
      const next = await Promise.resolve(left.watches.shift() ?? new Failure('unauthenticated', 'ended'));
      if (next instanceof Error) throw next;
      opened();
      yield* next;
      const end = left.ends.shift();
      if (end !== undefined) throw end;
    },
    read: (object: unknown) => (object as Sent).state,
    interrupted: (why: string) => void interrupted.push(why),
    pauseMs: 1,
    awayMs: 50,
  };
  try {
    await followList(
      source,
      (some) => void changes.push(...some.map(({ type, value }) => `${type} ${value}`)),
    );
  } catch (end) {
    return { changes, asked, interrupted, end };
  }
  throw new Error('it ended without a failure');
}

test('goes on where a watch ended, from its last event or bookmark', async () => {
  const { changes, asked, end } = await followed(
    [state('5', item('a', '4'))],
    [
      [line('MODIFIED', state('6', item('a', '6')))],
      [line('BOOKMARK', state('9'))],
      [line('DELETED', state('', item('a', '11')))],
    ],
  );
  expect(changes).toEqual(['ADDED a@4', 'MODIFIED a@6', 'DELETED a@11']);
  expect(asked).toEqual(['list', '5', '6', '9', '11']);
  expect(end).toMatchObject({ reason: 'unauthenticated' });
});

test('lists again after 410 Gone, and reports only what has changed', async () => {
  const before = state('5', item('a', '1'), item('b', '2'), item('c', '3'));
  const after = state('9', item('a', '1'), item('b', '8'), item('d', '7'));
  const { changes, asked } = await followed([before, after], [expired()]);
  expect(changes.slice(3)).toEqual(['DELETED c@3', 'MODIFIED b@8', 'ADDED d@7']);
  expect(asked).toEqual(['list', '5', 'list', '9']);
});

test('tries again while the server is away, says so once, and gives up in the end', async () => {
  const away = new Interrupted('failed', 'away');
  const { asked, interrupted, end } = await followed(
    [state('5')],
    [away, away, [line('ADDED', state('6', item('a', '6')))], ...Array.from({ length: 99 }, () => away)],
    [away],
  );
  expect(asked.slice(0, 5)).toEqual(['list', '5', '5', '5', '6']);
  expect(interrupted).toEqual(['away', 'away']);
  expect(end).toBe(away);
});

test.each(['unauthenticated', 'forbidden', 'notFound'] as const)('ends with %s', async (reason) => {
  const failure = new Failure(reason, 'gone');
  expect((await followed([failure], [])).end).toBe(failure);
  expect((await followed([state('5')], [failure])).end).toBe(failure);
  expect((await followed([state('5'), failure], [expired()])).end).toBe(failure);
});

test('a first list that fails is not tried again; a later one is', async () => {
  const failed = new Failure('failed', 'cannot be reached');
  expect((await followed([failed], [])).asked).toEqual(['list']);
  const { asked } = await followed([state('5'), failed, state('7')], [expired()]);
  expect(asked).toEqual(['list', '5', 'list', 'list', '7']);
});
