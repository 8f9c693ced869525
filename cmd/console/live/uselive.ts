/** Live collections for components: one for each path and form, shared by all who show it. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Form } from '../client/forms.js';
import type { LiveState } from './livelist.js';
import { LiveList } from './livelist.js';

/** Lists of a page that is left are kept for this time, so that the way back is quick. */
const KEPT_MS = 15_000;

interface Shared {
  readonly list: LiveList<unknown>;
  users: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const shared = new Map<string, Shared>();

function take(key: string, make: () => LiveList<unknown>): Shared {
  const known = shared.get(key) ?? { list: make(), users: 0, timer: undefined };
  shared.set(key, known);
  return known;
}

/** Whoever logs out, or in as another, sees nothing of what was shown before. */
export function forgetLists(): void {
  for (const { list, timer } of shared.values()) {
    clearTimeout(timer);
    list.close();
  }
  shared.clear();
}

/** Somebody has logged in again, as before. */
export function renewLists(): void {
  for (const { list } of shared.values()) list.renew();
}

const NOTHING: LiveState<never> = { status: 'loading', items: [], error: undefined };

/** `name`: of the form, for sharing. `path` undefined: nothing is asked yet. */
export function useLive<Item>(
  path: string | undefined,
  name: string,
  form: () => Form<Item>,
): LiveState<Item> {
  const key = path === undefined ? undefined : `${name} ${path}`;
  // A form is made once for each list; its name, in the key, tells the type of the items.
  const entry = useMemo(
    () =>
      key === undefined || path === undefined
        ? undefined
        : take(key, () => new LiveList({ path, form: form() }) as LiveList<unknown>),
    [key, path],
  );
  useEffect(() => {
    if (entry === undefined || key === undefined) return;
    clearTimeout(entry.timer);
    entry.users += 1;
    return () => {
      entry.users -= 1;
      if (entry.users > 0) return;
      entry.timer = setTimeout(() => {
        entry.list.close();
        if (shared.get(key) === entry) shared.delete(key);
      }, KEPT_MS);
    };
  }, [entry, key]);
  // The map of lists knows no types: the path of an entry says what its items are.
  return useSyncExternalStore(
    entry?.list.subscribe ?? noSubscription,
    (entry?.list.state ?? nothing) as () => LiveState<Item>,
  );
}

const noSubscription = (): (() => void) => () => undefined;
const nothing = (): LiveState<never> => NOTHING;
