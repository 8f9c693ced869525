import { sorted } from '../../client/searchrows.js';
import type { Sorting } from './usesearchtext.js';
import type { Column } from './virtualrows.js';

/** The items by the column that the URL names, if there is such a column that sorts. */
export function inOrder<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  sorting: Sorting | undefined,
): readonly Item[] {
  const value = columns.find(({ name }) => name === sorting?.by)?.value;
  return sorting === undefined || value === undefined ? items : sorted(items, value, sorting.descending);
}
