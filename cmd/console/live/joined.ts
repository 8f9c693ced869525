/** Several lists as one. */
import type { LiveState } from './livelist.js';

/** The items of all lists. A list that the user may not read counts as empty, unless all are such lists. */
export function joined<Item>(states: readonly LiveState<Item>[]): LiveState<Item> {
  const read = states.filter(({ status }) => status !== 'refused');
  const worst = ['stale', 'loading', 'live'] as const;
  const status = worst.find((one) => read.some((state) => state.status === one)) ?? 'refused';
  return {
    status,
    items: states.flatMap(({ items }) => items),
    error: states.find((state) => state.status === status)?.error,
    more: read.some(({ more }) => more === true),
  };
}
