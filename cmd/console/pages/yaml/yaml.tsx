import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../../api/resource.js';
import { command } from '../../client/commands.js';
import { send } from '../../client/request.js';
import { useMay } from '../../client/reviews.js';
import type { Place } from '../../client/yamlobject.js';
import { placeOf, shownOf } from '../../client/yamlobject.js';
import { useTexts } from '../../texts/texts.js';
import { Commands } from '../../ui/commands.js';
import { Fault } from '../../ui/fault.js';
import { Page } from '../../ui/page.js';
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
    queryFn: async ({ signal }) => shownOf(await send<KubeObject>('GET', place.path, { signal })),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const { group, resource, namespace, name } = place;
  const version = data?.metadata.resourceVersion;
  const mayChange = useMay({ verb: 'patch', group, resource, namespace, name }, version);
  const kind = group === '' ? resource : `${resource}.${group}`;
  return (
    <Page title={texts.yaml.title(name)}>
      <p className="hint">{place.path}</p>
      {isLoading && <p role="status">{texts.state.loading}</p>}
      <Fault error={error ?? undefined} />
      {applied && (
        <p className="notice" role="status">
          {texts.yaml.applied}
        </p>
      )}
      {data !== undefined && (
        <EditYaml
          key={version}
          {...{ place, shown: data, mayChange }}
          onApplied={async () => {
            setApplied(true);
            await refetch();
          }}
          onReload={() => void refetch()}
        />
      )}
      <Commands
        lines={[
          command('kubectl', 'edit', kind, name, ...(namespace === '' ? [] : ['--namespace', namespace])),
        ]}
      />
    </Page>
  );
}
