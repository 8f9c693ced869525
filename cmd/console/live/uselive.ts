/** Live collections for components: one for each path and form, which components share. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Form } from '../client/forms.js';
import { LiveList, type LiveState } from './livelist.js';
import { mayList } from './maylist.js';

/** Collections of a page that was left are kept for this time, so that going back is fast. */
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

/** Drops all collections. After a logout, or a login as another user, nothing of the former user stays. */
export function forgetLists(): void {
  for (const { list, timer } of shared.values()) {
    clearTimeout(timer);
    list.close();
  }
  shared.clear();
}

/** Continues after the same user has logged in again. */
export function renewLists(): void {
  for (const { list } of shared.values()) list.renew();
}

const NOTHING: LiveState<never> = { status: 'loading', items: [], error: undefined };

/** `name`: of the form, for sharing. `path` undefined: nothing is requested yet. */
export function useLive<Item>(
  path: string | undefined,
  name: string,
  form: (path: string) => Form<Item>,
): LiveState<Item> {
  const key = path === undefined ? undefined : `${name} ${path}`;
  // A form is created once for each list; its name, in the key, decides the type of the items.
  const entry = useMemo(
    () =>
      key === undefined || path === undefined
        ? undefined
        : take(key, () => new LiveList({ path, form: form(path), mayList }) as LiveList<unknown>),
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
  // The map of lists has no type parameters: the path of an entry decides the type of its items.
  return useSyncExternalStore(
    entry?.list.subscribe ?? noSubscription,
    (entry?.list.state ?? nothing) as () => LiveState<Item>,
  );
}

const noSubscription = (): (() => void) => () => undefined;
const nothing = (): LiveState<never> => NOTHING;
