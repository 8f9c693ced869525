import { useState } from 'react';
import { CLUSTERS } from '../../client/clusters.js';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import type { ProjectView } from '../../client/projects.js';
import { useMayAny } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { ImportVirtualCluster } from './importvirtualcluster.js';

/** So many clusters are asked about, one by one. */
const MAX = 20;

/** Offers to import a virtual cluster to whoever may import from all clusters, or from one that they see. */
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
