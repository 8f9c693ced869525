import { useMemo } from 'react';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { joined } from '../../live/joined.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';

/** The objects of several resources that the user can see, live. `resources`: always the same, in the same order. */
export function useRowsOf(resources: readonly string[]): LiveState<Row> {
  const states = resources.map((resource) => useLive<Row>(pathOf(resource), 'table', tableRows));
  return useMemo(() => joined(states), states);
}
