/** The change at each revision, combined from all responses and events of a run. */
import type { History, ShownObject, Violation } from './history.js';
import type { KindName } from './kinds.js';

/** One write. `object`: the result, or, for a deletion, the deleted object with the revision of the deletion. */
export interface Change {
  readonly object: ShownObject;
  readonly deleted: boolean;
}

export class Revisions {
  private readonly changes = new Map<number, Change>();
  /** In order; computed when it is first used. */
  private order: readonly Change[] | undefined;
  private replaced: ReadonlyMap<number, Change> | undefined;
  readonly contradictions: Violation[] = [];

  constructor(readonly kind: KindName) {}

  /**
   * @param source of the object, for the finding if another source differs
   */
  add(object: ShownObject, deleted: boolean, source: string): void {
    const known = this.changes.get(object.revision);
    if (known === undefined) {
      this.changes.set(object.revision, { object, deleted });
      return;
    }
    const same = known.deleted === deleted && isSame(known.object, object);
    if (same) return;
    const [told, other] = [describe({ object, deleted }), describe(known)];
    const text = `revision ${object.revision} of ${this.kind} is ${told} as ${source} has it, and ${other} elsewhere`;
    this.contradictions.push({ judge: 'faithful', text });
  }

  at(revision: number): Change | undefined {
    return this.changes.get(revision);
  }

  /** All changes, the oldest first. */
  get all(): readonly Change[] {
    return (this.order ??= [...this.changes.values()].sort((a, b) => a.object.revision - b.object.revision));
  }

  /** The changes with `after` < revision <= `to`, the oldest first. */
  between(after: number, to: number): readonly Change[] {
    return this.all.slice(this.indexAfter(after), this.indexAfter(to));
  }

  /** The last change of the same object before this one, which is one of {@link all}. */
  before({ revision }: ShownObject): Change | undefined {
    this.replaced ??= previousOf(this.all);
    return this.replaced.get(revision);
  }

  /** The objects at a revision, by name. */
  stateAt(revision: number): Map<string, ShownObject> {
    const state = new Map<string, ShownObject>();
    for (const { object, deleted } of this.between(0, revision)) {
      if (deleted) state.delete(object.name);
      else state.set(object.name, object);
    }
    return state;
  }

  private indexAfter(revision: number): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.all[middle] as Change).object.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The previous change of the same object for each change, by revision. */
function previousOf(changes: readonly Change[]): Map<number, Change> {
  const lasts = new Map<string, Change>();
  const previous = new Map<number, Change>();
  for (const change of changes) {
    const { name, revision } = change.object;
    const last = lasts.get(name);
    if (last !== undefined) previous.set(revision, last);
    lasts.set(name, change);
  }
  return previous;
}

/** Responses are added first: if an event differs from them, the event is wrong. */
export function revisionsOf({ requests, lists, streams }: History, kind: KindName): Revisions {
  const revisions = new Revisions(kind);
  for (const { kind: of, shown, operation, client } of requests)
    if (of === kind && shown !== undefined) revisions.add(shown, false, `${operation} of client ${client}`);
  for (const { kind: of, items, client } of lists)
    if (of === kind) for (const item of items) revisions.add(item, false, `a list of client ${client}`);
  for (const { kind: of, items, watcher } of streams) {
    if (of !== kind) continue;
    for (const item of items)
      if (item.type !== 'BOOKMARK')
        revisions.add(item.object, item.type === 'DELETED', `${item.type} of watcher ${watcher}`);
  }
  return revisions;
}

export function isSame(one: ShownObject, other: ShownObject): boolean {
  const names = Object.keys(one.fields);
  return (
    one.name === other.name &&
    one.uid === other.uid &&
    one.revision === other.revision &&
    names.length === Object.keys(other.fields).length &&
    names.every((name) => one.fields[name] === other.fields[name])
  );
}

export const describe = ({ object, deleted }: Change): string =>
  `${deleted ? 'the deletion of ' : ''}${object.name} ${JSON.stringify(object.fields)}`;
