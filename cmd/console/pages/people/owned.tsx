import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { ownedBy } from '../../client/people.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { ListCard } from '../object/listcard.js';

const RESOURCES = [
  'projects',
  'sharedsecrets',
  'projectsecrets',
  'spaceinstances',
  'virtualclusterinstances',
  'ownedaccesskeys',
  'clusters',
] as const;
type Resource = (typeof RESOURCES)[number];

/** The objects of a user or a team that the current user can see. */
export function Owned({ name }: { readonly name: string }) {
  const texts = useTexts();
  return (
    <section aria-labelledby="owned">
      <h2 id="owned">{texts.users.owned}</h2>
      <p className="hint">{texts.users.ownedHint}</p>
      <div className="cards">
        {RESOURCES.map((resource) => (
          <OwnedOf key={resource} resource={resource} name={name} />
        ))}
      </div>
    </section>
  );
}

function OwnedOf({ resource, name }: { readonly resource: Resource; readonly name: string }) {
  const texts = useTexts();
  const state = useLive<Row>(pathOf(resource), 'table', tableRows);
  // Nothing tells of lists that the user may not read.
  if (state.status === 'refused') return null;
  const title = texts.users.resources[resource];
  return (
    <ListCard
      title={title}
      resource={resource}
      state={state}
      rows={ownedBy(state.items, name)}
      search={name}
    />
  );
}
