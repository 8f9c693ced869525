import { Link } from '@tanstack/react-router';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { SPACE, VIRTUAL_CLUSTER } from '../../client/instances.js';
import { pathOf } from '../../client/paths.js';
import { ownedBy } from '../../client/people.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { LiveNote } from '../../ui/livestate.js';
import { InstanceLink } from '../instances/instancelink.js';

const RESOURCES = [
  'projects',
  'sharedsecrets',
  'spaceinstances',
  'virtualclusterinstances',
  'ownedaccesskeys',
  'clusters',
] as const;
type Resource = (typeof RESOURCES)[number];
const MOST = 20;

/** What belongs to a user or a team, as far as the person may see it. */
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

/** How many of one resource, and the first of many. */
function OwnedOf({ resource, name }: { readonly resource: Resource; readonly name: string }) {
  const texts = useTexts();
  const state = useLive<Row>(pathOf(resource), 'table', tableRows);
  const rows = ownedBy(state.items, name);
  return (
    <div className="card">
      <h3>
        {texts.users.resources[resource]} ({rows.length})
      </h3>
      <LiveNote state={state} />
      <ul className="plain">
        {rows.slice(0, MOST).map(({ metadata: { namespace = '', name: one = '' } }) => (
          <li key={`${namespace}/${one}`}>
            <OwnedLink resource={resource} namespace={namespace} name={one} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface OwnedLinkProps {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

/** To its page. */
function OwnedLink({ resource, namespace, name }: OwnedLinkProps) {
  switch (resource) {
    case 'projects':
      return (
        <Link to="/projects/$name" params={{ name }} preload={false}>
          {name}
        </Link>
      );
    case 'clusters':
      return (
        <Link to="/clusters/$name" params={{ name }} preload={false}>
          {name}
        </Link>
      );
    case 'sharedsecrets':
      return (
        <Link to="/secrets/$namespace/$name" params={{ namespace, name }} preload={false}>
          {name}
        </Link>
      );
    case 'spaceinstances':
      return <InstanceLink of={SPACE} namespace={namespace} name={name} />;
    case 'virtualclusterinstances':
      return <InstanceLink of={VIRTUAL_CLUSTER} namespace={namespace} name={name} />;
    case 'ownedaccesskeys':
      return <Link to="/accesskeys">{name}</Link>;
  }
}
