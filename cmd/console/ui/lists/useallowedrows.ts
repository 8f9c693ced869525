import { useMayEach, type Deed } from '../../client/reviews.js';
import type { RowId } from '../../client/searchrows.js';

/** The maximum number of objects that are acted on at once: each may need an access review. */
export const MAX_ROWS = 100;

export interface AllowedRows<Item> {
  /** Those of the first {@link MAX_ROWS} that the user may act on. */
  readonly allowed: readonly Item[];
  readonly refused: number;
  /** Whether it is not known of all. */
  readonly pending: boolean;
}

const placeOf = ({ resource, namespace }: Deed): string => `${resource} ${namespace}`;

/** Which rows the user may act on. Who may act on all objects in a namespace is asked once for it, and not for each. */
export function useAllowedRows<Item extends RowId>(verb: string, rows: readonly Item[]): AllowedRows<Item> {
  const first = rows.slice(0, MAX_ROWS);
  const deeds = first.map(({ resource, metadata: { namespace = '', name = '' } }): Deed => {
    return { verb, resource, namespace, name };
  });
  const places = [...new Map(deeds.map((deed) => [placeOf(deed), { ...deed, name: '' }])).values()];
  const ofPlaces = useMayEach(places);
  const mayAll = new Map(places.map((place, at) => [placeOf(place), ofPlaces[at]]));
  const single = deeds.filter((deed) => mayAll.get(placeOf(deed)) === false);
  const ofSingle = useMayEach(single);
  const answers = deeds.map((deed) => mayAll.get(placeOf(deed)) || ofSingle[single.indexOf(deed)]);
  return {
    allowed: first.filter((_row, at) => answers[at] === true),
    refused: answers.filter((answer) => answer === false).length,
    pending: answers.includes(undefined),
  };
}
