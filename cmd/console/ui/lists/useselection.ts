import { useCallback, useMemo, useState } from 'react';
import type { ObjectMeta } from '../../../../api/resource.js';

export interface Selection<Item> {
  readonly selected: readonly Item[];
  readonly has: (uid: string) => boolean;
  /** The same function for as long as the list is shown. */
  readonly set: (uid: string, isSelected: boolean) => void;
  readonly setAll: (items: readonly Item[]) => void;
}

interface Selectable {
  readonly metadata: ObjectMeta;
}

/** Another object of the same name has another uid. */
export const uidOf = ({ metadata: { uid = '' } }: Selectable): string => uid;

/** The selected items of a list. What leaves the list, also by a search, is not selected any more. */
export function useSelection<Item extends Selectable>(items: readonly Item[]): Selection<Item> {
  const [uids, setUids] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback(
    (uid: string, isSelected: boolean): void =>
      setUids((before) => {
        const next = new Set(before);
        if (isSelected) next.add(uid);
        else next.delete(uid);
        return next;
      }),
    [],
  );
  const setAll = (all: readonly Item[]): void => setUids(new Set(all.map(uidOf)));
  const selected = useMemo(
    () => (uids.size === 0 ? [] : items.filter((item) => uids.has(uidOf(item)))),
    [items, uids],
  );
  if (selected.length < uids.size) setAll(selected);
  return { selected, has: (uid) => uids.has(uid), set, setAll };
}
