import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { editCommand } from '../../client/commands/pagecommands.js';
import { useMay } from '../../client/reviews.js';
import { placeOf, type Place } from '../../client/edits/yamlobject.js';
import { readShown } from '../../client/edits/yamlread.js';
import { useTexts } from '../../texts/texts.js';
import { Commands } from '../../ui/commands.js';
import { ReadFault } from '../../ui/fault.js';
import { Page } from '../../ui/page.js';
import { hasPage, ObjectLink } from '../object/objectlink.js';
import { WhyNotDeleted } from '../object/whynotdeleted.js';
import { EditYaml } from './edityaml.js';

/** One object of any kind as YAML. */
export function YamlPage() {
  const texts = useTexts();
  const { path = '' } = useSearch({ from: '/yaml' });
  const place = placeOf(path);
  if (place !== undefined) return <Read key={place.path} place={place} />;
  return (
    <Page title={texts.yaml.link}>
      <p className="empty">{texts.state.notFound}</p>
    </Page>
  );
}

function Read({ place }: { readonly place: Place }) {
  const texts = useTexts();
  const [applied, setApplied] = useState(false);
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ['yaml', place.path],
    queryFn: ({ signal }) => readShown(place, signal),
    staleTime: 0,
    refetchOnWindowFocus: false,
    // Reading again would discard what is typed.
    refetchOnReconnect: false,
  });
  const { group, resource, namespace, name } = place;
  const version = data?.shown.metadata.resourceVersion;
  const mayChange = useMay({ verb: 'patch', group, resource, namespace, name }, version);
  const holds = group === '' && resource === 'namespaces' ? name : '';
  const kind = group === '' ? resource : `${resource}.${group}`;
  return (
    <Page title={texts.yaml.title(name)}>
      <p className="hint">{place.path}</p>
      <Links place={place} />
      {isLoading && <p role="status">{texts.state.loading}</p>}
      <ReadFault error={error} />
      {applied && (
        <p className="notice" role="status">
          {texts.yaml.applied}
        </p>
      )}
      {data !== undefined && (
        <WhyNotDeleted path={place.path} resource={resource} metadata={data.shown.metadata} holds={holds} />
      )}
      {data !== undefined && (
        <EditYaml
          key={version}
          place={place}
          first={data}
          mayChange={mayChange}
          onApplied={async () => {
            setApplied(true);
            await refetch();
          }}
        />
      )}
      <Commands lines={[editCommand(kind, name, namespace)]} />
    </Page>
  );
}

/** Links to the page of the object, if it has one, and to the subjects with rights on it. */
function Links({ place }: { readonly place: Place }) {
  const { whoCan } = useTexts();
  return (
    <p>
      {hasPage(place) && (
        <>
          <ObjectLink {...place}>{whoCan.back}</ObjectLink> ·{' '}
        </>
      )}
      <Link to="/whocan" search={{ path: place.path }}>
        {whoCan.link}
      </Link>
    </p>
  );
}
