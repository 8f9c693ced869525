import { ACCESS_KEYS, accessKeyForm } from '../../client/accesskeys.js';
import type { Seen } from '../../client/attention.js';
import { clusterForm, CLUSTERS } from '../../client/clusters.js';
import type { Row } from '../../client/forms.js';
import { instanceForm, SPACE, VIRTUAL_CLUSTER } from '../../client/instances.js';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';
import { useSecretRows } from '../secrets/usesecretrows.js';

/** The content of the home page, live. */
export interface AllSeen extends Seen {
  /** Rows of a table, which contain no secret values. */
  readonly secrets: readonly Row[];
  /** The state of the list that is least up to date. A refused list counts as empty, as new users have few rights. */
  readonly state: LiveState<unknown> | undefined;
  /** Whether all lists have been read. */
  readonly complete: boolean;
}

export function useSeen(): AllSeen {
  const secrets = useSecretRows();
  const keys = useLive(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const projects = useLive(pathOf(PROJECTS), 'project', projectForm);
  const spaces = useLive(pathOf(SPACE.resource), 'instance', instanceForm);
  const virtualClusters = useLive(pathOf(VIRTUAL_CLUSTER.resource), 'instance', instanceForm);
  const clusters = useLive(pathOf(CLUSTERS), 'cluster', clusterForm);
  const all = [secrets, keys, projects, spaces, virtualClusters, clusters];
  const loading = all.find(({ status }) => status === 'loading');
  return {
    secrets: secrets.items,
    projects: projects.items,
    spaces: spaces.items,
    // Sessions of browsers are access keys, too, but users do not create them directly.
    keys: keys.items.filter(({ type }) => type !== 'Login'),
    virtualClusters: virtualClusters.items,
    clusters: clusters.items,
    state: all.find(({ status }) => status === 'stale') ?? loading,
    complete: loading === undefined,
  };
}
