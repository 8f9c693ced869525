/**
 * Whether every stream kept the guarantees of watches (etcd.io/docs, "Watch APIs"): it contains the changes in order,
 * each once, from its start to its end.
 */
import type { JudgeName, StreamItem, StreamRecord, Violation } from '../history/history.js';
import { describe, isSame, type Change, type Revisions } from '../history/revisions.js';

type Report = (judge: JudgeName, text: string) => void;

export function judgeStream(stream: StreamRecord, revisions: Revisions): Violation[] {
  const found: Violation[] = [];
  const report: Report = (judge, text) =>
    found.push({ judge, text: `${stream.kind}, watcher ${stream.watcher} at ${stream.server}: ${text}` });
  const items = stream.items;
  if (stream.after === undefined && !stream.initial) {
    judgeByObject(items, revisions, report);
    return found;
  }
  const begin = stream.initial ? judgeInitial(items, revisions, report) : { at: 0, after: stream.after };
  if (begin.after !== undefined) judgeChanges(stream, begin.at, begin.after, revisions, report);
  return found;
}

const revisionOf = (item: StreamItem): number =>
  item.type === 'BOOKMARK' ? item.revision : item.object.revision;

/** From the initial events to the bookmark that ends them. Without that bookmark, nothing is guaranteed. */
function judgeInitial(
  items: readonly StreamItem[],
  revisions: Revisions,
  report: Report,
): { readonly at: number; readonly after: number | undefined } {
  const end = items.findIndex((item) => item.type === 'BOOKMARK' && item.endsInitial);
  const bookmark = items[end];
  if (bookmark === undefined) return { at: items.length, after: undefined };
  const after = revisionOf(bookmark);
  const expected = revisions.stateAt(after);
  const shown = new Set<string>();
  for (const item of items.slice(0, end)) {
    if (item.type === 'BOOKMARK') continue;
    shown.add(item.object.name);
    const there = expected.get(item.object.name);
    if (item.type !== 'ADDED' || there === undefined || !isSame(there, item.object))
      report('atomic', `begins with ${said(item)}, which is not what there was at ${after}`);
  }
  for (const name of expected.keys())
    if (!shown.has(name)) report('atomic', `begins without ${name}, which there was at ${after}`);
  return { at: end + 1, after };
}

/** All changes after a revision. */
function judgeChanges(
  stream: StreamRecord,
  at: number,
  after: number,
  revisions: Revisions,
  report: Report,
): void {
  const items = stream.items.slice(at);
  const seen = new Set<number>();
  let last = after;
  let bookmark: number | undefined = stream.from === 'bookmark' || stream.initial ? after : undefined;
  for (const [index, item] of items.entries()) {
    const revision = revisionOf(item);
    if (item.type === 'BOOKMARK') {
      if (revision < last) report('bookmarkable', `a bookmark at ${revision} comes after ${last}`);
    } else if (seen.has(revision)) {
      report('unique', `shows ${revision} twice`);
    } else if (revision <= last) {
      const ahead = bookmark !== undefined && revision <= bookmark;
      report(ahead ? 'bookmarkable' : 'ordered', `shows ${revision} after ${last}`);
    }
    if (item.type !== 'BOOKMARK') {
      seen.add(revision);
      judgeType(item, revisions, report);
    }
    const missed = missedUntil(items, index, last, revisions, seen);
    if (missed !== undefined) {
      const judge = judgeOfGap(stream, index, bookmark, missed, item);
      report(
        judge,
        `misses ${describe(missed)} at ${missed.object.revision}, between ${last} and ${revision}`,
      );
    }
    if (item.type === 'BOOKMARK') bookmark = revision;
    last = Math.max(last, revision);
  }
}

/** The first change before an item that is neither before it nor, out of order, after it. */
function missedUntil(
  items: readonly StreamItem[],
  index: number,
  last: number,
  revisions: Revisions,
  seen: ReadonlySet<number>,
): Change | undefined {
  const item = items[index] as StreamItem;
  const until = item.type === 'BOOKMARK' ? revisionOf(item) : revisionOf(item) - 1;
  if (until <= last) return undefined;
  const gap = revisions.between(last, until).filter(({ object }) => !seen.has(object.revision));
  if (gap.length === 0) return undefined;
  const later = new Set(
    items.slice(index + 1).flatMap((each) => (each.type === 'BOOKMARK' ? [] : [revisionOf(each)])),
  );
  // A change that comes later is out of order, or after the bookmark: it is reported there.
  return gap.find(({ object }) => !later.has(object.revision));
}

function judgeOfGap(
  stream: StreamRecord,
  index: number,
  bookmark: number | undefined,
  missed: Change,
  item: StreamItem,
): JudgeName {
  const ahead = bookmark !== undefined && missed.object.revision <= bookmark;
  if (item.type === 'BOOKMARK' || ahead) return 'bookmarkable';
  return index === 0 && !stream.initial ? 'resumable' : 'reliable';
}

/** ADDED: the object did not exist. MODIFIED: it existed. DELETED: it has the last state of the object. */
function judgeType(
  item: Exclude<StreamItem, { type: 'BOOKMARK' }>,
  revisions: Revisions,
  report: Report,
): void {
  const { object, type } = item;
  const before = revisions.before(object);
  const there = before !== undefined && !before.deleted;
  if ((type === 'ADDED') === there)
    report(
      'faithful',
      `${said(item)}, where before it was ${before === undefined ? 'nothing' : describe(before)}`,
    );
  if (type !== 'DELETED' || before === undefined || before.deleted) return;
  const asItWas = { ...before.object, revision: object.revision };
  if (!isSame(asItWas, object)) report('faithful', `${said(item)}, which was ${describe(before)}`);
}

/**
 * For a stream that starts with the current objects without marking their end: the changes of each object are in order
 * and complete.
 */
function judgeByObject(items: readonly StreamItem[], revisions: Revisions, report: Report): void {
  const lasts = new Map<string, Change>();
  for (const item of items) {
    if (item.type === 'BOOKMARK') continue;
    const { object } = item;
    const last = lasts.get(object.name);
    const change = { object, deleted: item.type === 'DELETED' };
    if (last === undefined) {
      lasts.set(object.name, change);
      continue;
    }
    if (object.revision === last.object.revision) report('unique', `shows ${object.revision} twice`);
    else if (object.revision < last.object.revision)
      report('ordered', `shows ${object.revision} after ${last.object.revision}`);
    else {
      judgeType(item, revisions, report);
      const before = revisions.before(object);
      if (before !== undefined && before.object.revision > last.object.revision)
        report(
          'reliable',
          `misses ${describe(before)} at ${before.object.revision}, before ${object.revision}`,
        );
      lasts.set(object.name, change);
    }
  }
}

const said = (item: StreamItem): string =>
  item.type === 'BOOKMARK'
    ? `BOOKMARK ${item.revision}`
    : `${item.type} ${item.object.name} ${JSON.stringify(item.object.fields)} at ${item.object.revision}`;
