/** Connected clusters. */
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { objects, type Form } from './forms.js';
import { phaseView, type PhaseView } from './views.js';

export const CLUSTERS = 'clusters';

export interface ClusterView extends PhaseView {
  /** The user or team that owns the cluster. */
  readonly owner: string;
  readonly online: boolean;
  /** The Kubernetes version; `''` while it is not known. */
  readonly version: string;
  /** In milliseconds; undefined while the cluster does not respond. */
  readonly latency: number | undefined;
  /** The version of the cluster's agent; undefined: no agent is connected. */
  readonly agent: string | undefined;
  readonly unusable: boolean;
  /** The Secret with the kubeconfig, as namespace/name. */
  readonly secret: string;
}

export const clusterForm = (): Form<ClusterView> => objects(clusterViewOf);

export function clusterViewOf(object: Cluster): ClusterView {
  const { spec = {}, status = {} } = object;
  const { secretName = '', secretNamespace = '' } = spec.config ?? {};
  return {
    ...phaseView(object),
    owner: spec.owner?.user || spec.owner?.team || '',
    online: status.online ?? false,
    version: status.version ?? '',
    latency: status.latencyMilliseconds,
    agent: status.agent && (status.agent.version ?? ''),
    unusable: spec.unusable ?? false,
    secret: secretName === '' ? '' : `${secretNamespace}/${secretName}`,
  };
}
