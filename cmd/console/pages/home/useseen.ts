import { ACCESS_KEYS, accessKeyForm } from '../../client/accesskeys.js';
import type { Seen } from '../../client/attention.js';
import { clusterForm, CLUSTERS } from '../../client/clusters.js';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { instanceForm, SPACE, VIRTUAL_CLUSTER } from '../../client/instances.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import { SECRETS } from '../../client/secrets.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';

/** What the home page tells of, live. */
export interface AllSeen extends Seen {
  /** Rows of a table, which hold no values. */
  readonly secrets: readonly Row[];
  /** Of the list that is furthest behind. One that is refused has nothing, as with those who have just come. */
  readonly state: LiveState<unknown> | undefined;
  /** Whether all lists have come. */
  readonly complete: boolean;
}

export function useSeen(): AllSeen {
  const secrets = useLive<Row>(pathOf(SECRETS), 'table', tableRows);
  const keys = useLive(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const projects = useLive(pathOf(PROJECTS), 'project', projectForm);
  const spaces = useLive(pathOf(SPACE.resource), 'instance', instanceForm);
  const virtualClusters = useLive(pathOf(VIRTUAL_CLUSTER.resource), 'instance', instanceForm);
  const clusters = useLive(pathOf(CLUSTERS), 'cluster', clusterForm);
  const all = [secrets, keys, projects, spaces, virtualClusters, clusters];
  const loading = all.find(({ status }) => status === 'loading');
  return {
    ...{ secrets: secrets.items, projects: projects.items, spaces: spaces.items },
    // Sessions of browsers are keys, too, which nobody made.
    keys: keys.items.filter(({ type }) => type !== 'Login'),
    ...{ virtualClusters: virtualClusters.items, clusters: clusters.items },
    state: all.find(({ status }) => status === 'stale') ?? loading,
    complete: loading === undefined,
  };
}
