import { CLUSTERS } from '../../client/clusters.js';
import { tableRows, type Row } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { useMay, useMayOn } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import type { Suggestion } from '../../ui/suggest/suggestions.js';

const using = (name: string) => ({ verb: 'use', resource: CLUSTERS, namespace: '', name });

/** The clusters that the user may allow in projects: those that the user may use; `*` is all of them. */
function useUsableClusters(): readonly Suggestion[] {
  const { projects: texts } = useTexts();
  const { items } = useLive<Row>(pathOf(CLUSTERS), 'table', tableRows);
  const { all, each } = useMayOn(
    items.map(({ metadata: { name = '' } }) => name),
    using,
  );
  const usable = all === true ? items : items.filter((_row, at) => each[at] === true);
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
