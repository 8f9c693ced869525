/** Concurrent changes of one object, field by field, and their merge. */
import { isObject, membersOf, type Members } from '../../../../api/members.js';

export type Side = 'mine' | 'theirs';

export interface FieldEdit {
  readonly path: readonly string[];
  /** `both`: each side changed the field to another value. A field that both changed to the same value is no edit. */
  readonly by: Side | 'both';
  /** The value before the edits; undefined: the field did not exist. */
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A list counts as one field, as indexes in it mean nothing to a reader. */
export function fieldEdits(
  base: unknown,
  mine: unknown,
  theirs: unknown,
  path: readonly string[] = [],
): FieldEdit[] {
  if (same(mine, theirs)) return [];
  const was = base ?? {};
  if (isObject(mine) && isObject(theirs) && isObject(was)) {
    const names = new Set([...Object.keys(was), ...Object.keys(mine), ...Object.keys(theirs)]);
    return [...names].flatMap((name) =>
      fieldEdits(own(was, name), own(mine, name), own(theirs, name), [...path, name]),
    );
  }
  const by = same(base, mine) ? 'theirs' : same(base, theirs) ? 'mine' : 'both';
  return isOfServer(path, by) ? [] : [{ path, by, base, mine, theirs }];
}

const own = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;

/** Fields that the server writes with every change, and status: the user is not asked about them. */
const isOfServer = ([first = '', second = '']: readonly string[], by: FieldEdit['by']): boolean =>
  (first === 'metadata' && ['resourceVersion', 'generation'].includes(second)) ||
  (first === 'status' && by === 'theirs');

/** The other side's object with the user's edits applied. `stays`: which side is kept for a field that both changed. */
export function mergedEdits(
  theirs: object,
  edits: readonly FieldEdit[],
  stays: (edit: FieldEdit) => Side,
): object {
  const mine = edits.filter((edit) => edit.by === 'mine' || (edit.by === 'both' && stays(edit) === 'mine'));
  return mine.reduce<object>((merged, { path, mine: value }) => withField(merged, path, value), theirs);
}

/** A value of undefined removes the field. */
function withField(object: unknown, [name, ...rest]: readonly string[], value: unknown): object {
  const members = membersOf(object);
  if (name === undefined) return members;
  const below = rest.length === 0 ? value : withField(own(members, name), rest, value);
  const others = Object.entries(members).filter(([other]) => below !== undefined || other !== name);
  if (below === undefined) return Object.fromEntries(others);
  const at = others.findIndex(([other]) => other === name);
  return Object.fromEntries(at < 0 ? [...others, [name, below]] : others.with(at, [name, below]));
}

export interface NameEdits {
  readonly names: readonly string[];
  /** Names that the other side added. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Merges lists of names, such as members, in which no side removes names that the other side adds. */
export function mergedNames(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): NameEdits {
  const without = (all: readonly string[], some: readonly string[]): string[] =>
    all.filter((name) => !some.includes(name));
  const kept = without(theirs, without(base, mine));
  return {
    names: [...kept, ...without(without(mine, base), kept)],
    added: without(theirs, base),
    removed: without(base, theirs),
  };
}
