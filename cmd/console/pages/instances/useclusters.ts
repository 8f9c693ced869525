import { useQuery } from '@tanstack/react-query';
import { allowedClusters } from '../../client/instances.js';
import { useTexts } from '../../texts/texts.js';

export interface Clusters {
  /** Labels by name. */
  readonly clusters: Record<string, string>;
  readonly error: unknown;
  /** Whether the server is being asked for them. */
  readonly asking: boolean;
}

/** The clusters that a project allows. */
export function useClusters(project: string): Clusters {
  const { instances: texts } = useTexts();
  const {
    data = [],
    error,
    isPending,
  } = useQuery({
    queryKey: ['clusters', project],
    queryFn: ({ signal }) => allowedClusters(project, signal),
  });
  const named = data.map(({ name = '', displayName = '', online = false }): [string, string] => [
    name,
    `${displayName === '' ? name : `${displayName} (${name})`}${online ? '' : ` – ${texts.offline}`}`,
  ]);
  return { clusters: Object.fromEntries(named), error: error ?? undefined, asking: isPending };
}
