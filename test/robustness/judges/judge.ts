/** Runs all judges on one history. */
import type { History, JudgeName, Violation } from '../history/history.js';
import { KINDS } from '../history/kinds.js';
import { revisionsOf, type Revisions } from '../history/revisions.js';
import { judgeLinearizability, type Linearizability } from './linearizability.js';
import { judgeLists } from './lists.js';
import { judgeStream } from './watch.js';

export const JUDGES: Readonly<Record<JudgeName, string>> = {
  linearizable: 'the answers for each object are those of one order of all requests',
  ordered: 'a watch shows no event after a later one',
  unique: 'a watch shows no event twice',
  atomic: 'a list, or the beginning of a watch, shows what there was at its revision',
  reliable: 'a watch misses nothing between what it shows first and last',
  resumable: 'a watch that goes on from a revision misses nothing after it',
  bookmarkable: 'after a bookmark a watch shows nothing from before it',
  faithful:
    'all answers and events of one revision tell the same object, and the type of an event what it did',
  'final state': 'in the end all servers list what was written',
  orderly: 'no answer is without an explanation, servers end with 0, and say nothing of errors',
};

export interface Judgement extends Omit<Linearizability, 'violations'> {
  readonly violations: readonly Violation[];
  /** The number of events in all streams, including bookmarks. */
  readonly events: number;
  readonly revisions: readonly Revisions[];
}

/**
 * @param folder for files that explain a finding
 */
export async function judge(history: History, folder: string): Promise<Judgement> {
  const revisions = KINDS.map(({ name }) => revisionsOf(history, name));
  const linearizability = await judgeLinearizability(history, revisions, folder);
  const violations = revisions.flatMap((each) => [
    ...each.contradictions,
    ...history.streams
      .filter(({ kind }) => kind === each.kind)
      .flatMap((stream) => judgeStream(stream, each)),
    ...judgeLists(
      history.lists.filter(({ kind }) => kind === each.kind),
      each,
    ),
  ]);
  const disorders = history.disorders.map((text): Violation => ({ judge: 'orderly', text }));
  const { operations, keys, undecided } = linearizability;
  return {
    operations,
    keys,
    undecided,
    events: history.streams.reduce((sum, { items }) => sum + items.length, 0),
    revisions,
    violations: [...linearizability.violations, ...violations, ...disorders],
  };
}
