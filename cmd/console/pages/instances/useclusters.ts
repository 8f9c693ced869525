import { useQuery } from '@tanstack/react-query';
import { allowedClusters } from '../../client/instances.js';
import { useTexts } from '../../texts/texts.js';

/** The clusters that a project allows: labels by name. */
export function useClusters(project: string): { clusters: Record<string, string>; error: unknown } {
  const { instances: texts } = useTexts();
  const { data = [], error } = useQuery({
    queryKey: ['clusters', project],
    queryFn: ({ signal }) => allowedClusters(project, signal),
  });
  const named = data.map(({ name = '', displayName = '', online = false }): [string, string] => [
    name,
    `${displayName === '' ? name : `${displayName} (${name})`}${online ? '' : ` – ${texts.offline}`}`,
  ]);
  return { clusters: Object.fromEntries(named), error: error ?? undefined };
}
