import type { ObjectMeta } from '../../../../api/resource.js';
import type { FilledSecret } from '../../client/filled/filledsecrets.js';
import type { Place } from '../../client/filled/places.js';
import { NOTHING_FOUND, searchFilled, type Found, type PlaceAnswer } from '../../client/filled/search.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/fault.js';
import { useSearch } from '../../ui/usesearch.js';
import { PlaceLink, placeKey } from './placelink.js';
import type { ApiError } from '../../client/status.js';
import { messageOf } from '../../texts/messageof.js';
import type { Texts } from '../../texts/en.js';

export interface Props {
  /** A SharedSecret; undefined: only what the mirrors fill is searched. */
  readonly source: ObjectMeta | undefined;
  /** The ProjectSecrets of the secret that the user can see. */
  readonly mirrors: readonly ObjectMeta[];
}

/** The Secrets inside spaces and virtual clusters that a secret fills. The instances are searched on demand. */
export function UsedInClusters({ source, mirrors }: Props) {
  const texts = useTexts();
  const prefix = useNamespacePrefix();
  const { found, state, error, start, stop } = useSearch(searchFilled, NOTHING_FOUND);
  const isSearching = state === 'searching';
  return (
    <section aria-labelledby="used-in-clusters">
      <h3 id="used-in-clusters">{texts.usedIn.title}</h3>
      <p className="hint">{texts.usedIn.hint}</p>
      {isSearching ? (
        <Button onPress={stop}>{texts.actions.stop}</Button>
      ) : (
        <Button
          isDisabled={prefix === undefined}
          onPress={() => prefix !== undefined && start({ source, mirrors, prefix })}
        >
          {state === 'unasked' ? texts.usedIn.search : texts.usedIn.again}
        </Button>
      )}
      <p role="status">{state !== 'unasked' && <Progress found={found} isStopped={state === 'stopped'} />}</p>
      <Fault error={error} />
      <FoundList found={found} />
      <NotAsked answers={found.answers} />
    </section>
  );
}

function Progress({ found, isStopped }: { readonly found: Found; readonly isStopped: boolean }) {
  const texts = useTexts();
  const { all, answers, more } = found;
  if (all === undefined) return isStopped ? texts.usedIn.stopped : texts.state.loading;
  if (all === 0) return texts.usedIn.noPlaces;
  const secrets = answers.reduce((sum, answer) => sum + answer.secrets.length, 0);
  const asked = answers.filter((answer) => answer.error === undefined).length;
  return [
    texts.usedIn.count(secrets, asked, all),
    isStopped && texts.usedIn.stopped,
    more && texts.usedIn.morePlaces,
  ]
    .filter(Boolean)
    .join(' ');
}

function FoundList({ found }: { readonly found: Found }) {
  const lines = found.answers.flatMap(({ place, secrets }: PlaceAnswer) =>
    secrets.map((secret) => ({ place, secret })),
  );
  if (lines.length === 0) return null;
  return (
    <ul className="entries">
      {lines.map(({ place, secret }) => (
        <FoundSecret
          key={`${placeKey(place)} ${secret.namespace}/${secret.name}`}
          place={place}
          secret={secret}
        />
      ))}
    </ul>
  );
}

function FoundSecret({ place, secret }: { readonly place: Place; readonly secret: FilledSecret }) {
  const { usedIn: texts } = useTexts();
  const { status } = secret;
  const look = status === 'Synced' ? 'enabled' : status === '' ? 'disabled' : 'failed';
  return (
    <li className="entry">
      <span>
        <PlaceLink place={place} />
        {': '}
        {texts.secret(secret.namespace, secret.name)}
        {secret.mirror !== '' && <span className="hint"> {texts.through(secret.mirror)}</span>}
      </span>
      <span className={`badge ${look}`}>{texts.states[status] ?? (status || texts.unknownState)}</span>
    </li>
  );
}

/** The instances that could not be searched, grouped by the reason, and what the server reports about them. */
function NotAsked({ answers }: { readonly answers: readonly PlaceAnswer[] }) {
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
  if (error.code === 503) return texts.usedIn.notConnected(cluster);
  if (error.code === 0) return texts.usedIn.silent(cluster);
  return texts.usedIn.failed(cluster, messageOf(error, texts));
}
