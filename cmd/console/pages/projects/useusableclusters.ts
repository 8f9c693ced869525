import { CLUSTERS } from '../../client/clusters.js';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { useMay, useMayEach } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import type { Suggestion } from '../../ui/suggest/suggestions.js';

/** The maximum number of clusters with an access review of their own. */
const MAX = 20;

const using = (name: string) => ({ verb: 'use', resource: CLUSTERS, namespace: '', name });

/** The clusters that the user may allow in projects: those that the user may use; `*` is all of them. */
function useUsableClusters(): readonly Suggestion[] {
  const { projects: texts } = useTexts();
  const { items } = useLive<Row>(pathOf(CLUSTERS), 'table', tableRows);
  const [all] = useMayEach([using('')]);
  const asked = all === false ? items.slice(0, MAX) : [];
  const may = useMayEach(asked.map(({ metadata: { name = '' } }) => using(name)));
  const usable = all === true ? items : asked.filter((_row, at) => may[at] === true);
  return [
    ...usable.map(({ metadata: { name = '' }, cells }) => ({ id: name, text: cells['Display Name'] ?? '' })),
    ...(all === true ? [{ id: '*', text: texts.allClusters }] : []),
  ];
}

/** The clusters that the user may allow in a project, and that it does not allow yet; none until it is known. */
export function useAllowable({ metadata, clusters }: ProjectView): readonly Suggestion[] {
  const { name = '', resourceVersion = '', deletionTimestamp } = metadata;
  const mayPatch = useMay({ verb: 'patch', resource: PROJECTS, namespace: '', name }, resourceVersion);
  const usable = useUsableClusters();
  if (!mayPatch || deletionTimestamp !== undefined || clusters.includes('*')) return [];
  return usable.filter(({ id }) => !clusters.includes(id));
}
