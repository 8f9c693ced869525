/** Whether every list contains exactly the objects at its revision. */
import type { ListRecord, ShownObject, Violation } from '../history/history.js';
import { isSame, type Revisions } from '../history/revisions.js';

export function judgeLists(lists: readonly ListRecord[], revisions: Revisions): Violation[] {
  const found: Violation[] = [];
  const state = new Map<string, ShownObject>();
  let at = 0;
  for (const list of [...lists].sort((a, b) => a.revision - b.revision)) {
    for (const { object, deleted } of revisions.between(at, list.revision)) {
      if (deleted) state.delete(object.name);
      else state.set(object.name, object);
    }
    at = Math.max(at, list.revision);
    for (const fault of differences(list.items, state)) {
      const text = `a list of ${list.kind} at ${list.revision} from ${list.server} ${fault}`;
      found.push({ judge: 'atomic', text });
    }
  }
  return found;
}

/** The differences between the objects in a list and those that existed. */
export function differences(
  shown: readonly ShownObject[],
  state: ReadonlyMap<string, ShownObject>,
): readonly string[] {
  const names = new Set(shown.map(({ name }) => name));
  const absent = [...state.keys()].filter((name) => !names.has(name));
  const others = shown.filter((object) => {
    const there = state.get(object.name);
    return there === undefined || !isSame(there, object);
  });
  return [
    ...absent.map((name) => `lacks ${name}`),
    ...others.map(
      (object) => `shows ${object.name} at ${object.revision}, which was ${at(state.get(object.name))}`,
    ),
    ...(names.size < shown.length ? ['shows an object twice'] : []),
  ];
}

const at = (object: ShownObject | undefined): string =>
  object === undefined ? 'not there' : `at ${object.revision} ${JSON.stringify(object.fields)}`;
