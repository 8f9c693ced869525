import { useCallback, useMemo, useState } from 'react';

export interface Selection<Item> {
  readonly selected: readonly Item[];
  readonly has: (key: string) => boolean;
  /** The same function for as long as the list is shown. */
  readonly set: (key: string, isSelected: boolean) => void;
  readonly setAll: (items: readonly Item[]) => void;
}

/** The selected items of a list. Those that are no longer in the list are not selected. */
export function useSelection<Item>(items: readonly Item[], keyOf: (item: Item) => string): Selection<Item> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback(
    (key: string, isSelected: boolean): void =>
      setKeys((before) => {
        const next = new Set(before);
        if (isSelected) next.add(key);
        else next.delete(key);
        return next;
      }),
    [],
  );
  const selected = useMemo(
    () => (keys.size === 0 ? [] : items.filter((item) => keys.has(keyOf(item)))),
    [items, keys, keyOf],
  );
  return {
    selected,
    has: (key) => keys.has(key),
    set,
    setAll: (all) => setKeys(new Set(all.map(keyOf))),
  };
}
