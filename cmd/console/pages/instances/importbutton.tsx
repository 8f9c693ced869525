import { useState } from 'react';
import { CLUSTERS } from '../../client/clusters.js';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import type { ProjectView } from '../../client/projects.js';
import { useMayAny } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { ImportVirtualCluster } from './importvirtualcluster.js';

/** The maximum number of clusters with an access review of their own. */
const MAX = 20;

/**
 * Offers to import a virtual cluster, if the user may import from all clusters, or from one of those that the user can
 * see.
 */
export function ImportButton({ projects }: { readonly projects: readonly ProjectView[] }) {
  const { instances } = useTexts();
  const [asked, setAsked] = useState(false);
  const clusters = useLive<Row>(pathOf(CLUSTERS), 'table', tableRows);
  const names = ['', ...clusters.items.slice(0, MAX).map(({ metadata: { name = '' } }) => name)];
  const may = useMayAny(names.map((name) => ({ verb: 'import', resource: CLUSTERS, namespace: '', name })));
  if (!may || projects.length === 0) return null;
  return (
    <>
      <Button onPress={() => setAsked(true)}>{instances.importing.action}</Button>
      {asked && <ImportVirtualCluster projects={projects} onClose={() => setAsked(false)} />}
    </>
  );
}
