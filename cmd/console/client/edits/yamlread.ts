/** Reads objects for the YAML editor, and detects whether hidden values have changed. */
import type { KubeObject } from '../../../../api/resource.js';
import { printOf } from './prints.js';
import { isObject } from '../../../../api/members.js';
import { send } from '../request.js';
import { encoded } from '../values.js';
import { HIDDEN, shownOf, type Place } from './yamlobject.js';

/** The placeholder of a hidden value that somebody else has changed. It appears only in comparisons. */
export const HIDDEN_CHANGED = '(hidden, changed)';

export interface ShownObject {
  readonly shown: KubeObject;
  /** The fingerprints of the hidden values, by their paths as JSON. */
  readonly prints: Readonly<Record<string, string>>;
}

/** Rejects with ApiError. */
export const readShown = async ({ path }: Place, signal?: AbortSignal): Promise<ShownObject> =>
  withPrints(await send<KubeObject>('GET', path, signal && { signal }));

export async function withPrints(object: KubeObject): Promise<ShownObject> {
  const shown = shownOf(object);
  const prints = hiddenIn(object, shown, []).map(async ([path, value]): Promise<[string, string]> => [
    path,
    await printOf(encoded(value)),
  ]);
  return { shown, prints: Object.fromEntries(await Promise.all(prints)) };
}

/** The values that `shown` hides, by path. */
function hiddenIn(value: unknown, shown: unknown, path: readonly string[]): [string, string][] {
  if (shown === HIDDEN) return [[JSON.stringify(path), JSON.stringify(value)]];
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return [];
  return Object.entries(shown).flatMap(([name, below]) =>
    hiddenIn(isObject(value) ? value[name] : undefined, below, [...path, name]),
  );
}

/** The object as it is shown, with hidden values marked that have changed since `base`. */
export function markedBeside(base: ShownObject, now: ShownObject): KubeObject {
  const changed = (path: readonly string[]): boolean => {
    const at = JSON.stringify(path);
    return base.prints[at] !== undefined && base.prints[at] !== now.prints[at];
  };
  const marked = (value: unknown, path: readonly string[]): unknown => {
    if (value === HIDDEN) return changed(path) ? HIDDEN_CHANGED : HIDDEN;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, below]) => [name, marked(below, [...path, name])]),
    );
  };
  // Only values are marked; kind, apiVersion and metadata stay.
  return marked(now.shown, []) as KubeObject;
}
