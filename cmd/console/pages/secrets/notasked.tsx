import type { Place } from '../../client/filled/places.js';
import type { PlaceAnswer } from '../../client/filled/search.js';
import type { ApiError } from '../../client/status.js';
import { messageOf } from '../../texts/messageof.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { PlaceLink, placeKey } from './placelink.js';

/** The instances that could not be searched, grouped by the reason, and what the server reports about them. */
export function NotAsked({ answers }: { readonly answers: readonly PlaceAnswer[] }) {
  const texts = useTexts();
  const reasons = new Map<string, Place[]>();
  for (const { place, error } of answers)
    if (error !== undefined) {
      const reason = reasonOf(error, place, texts);
      reasons.set(reason, [...(reasons.get(reason) ?? []), place]);
    }
  return [...reasons].map(([reason, places]) => (
    <div key={reason} className="notice">
      <p>{reason}</p>
      <ul className="plain">
        {places.map((place) => (
          <li key={placeKey(place)}>
            <PlaceLink place={place} />
            {place.summary !== '' && <span className="hint"> {texts.usedIn.summary(place.summary)}</span>}
          </li>
        ))}
      </ul>
    </div>
  ));
}

function reasonOf(error: ApiError, { cluster }: Place, texts: Texts): string {
  if (error.code === 403) return texts.usedIn.refused(cluster);
  if (error.code === 503) return texts.usedIn.noAgent(cluster);
  if (error.code === 0) return texts.usedIn.silent(cluster);
  return texts.usedIn.failed(cluster, messageOf(error, texts));
}
