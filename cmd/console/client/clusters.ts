/** Connected clusters. */
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { command } from './commands/command.js';
import type { Form } from './forms.js';
import { objects } from './forms.js';
import type { PhaseView } from './views.js';
import { phaseView } from './views.js';

export const CLUSTERS = 'clusters';

export interface ClusterView extends PhaseView {
  /** The user or team. */
  readonly owner: string;
  readonly online: boolean;
  /** Of Kubernetes; `''` while it is not known. */
  readonly version: string;
  /** In milliseconds; undefined while it does not answer. */
  readonly latency: number | undefined;
  /** The release of its agent; undefined: none is connected. */
  readonly agent: string | undefined;
  readonly unusable: boolean;
  /** The Secret of its kubeconfig, as namespace/name. */
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

/** The steps that connect a cluster from a machine that reaches it: its kubeconfig never goes through the browser. */
export function connectCommands(name: string, displayName: string): readonly string[] {
  const named = displayName === '' ? [] : ['--display-name', displayName];
  return [
    'kubectl config view --minify --flatten --raw > kubeconfig.yaml',
    command('platform', 'connect', 'cluster', name, '--kubeconfig-file', 'kubeconfig.yaml', ...named),
  ];
}
