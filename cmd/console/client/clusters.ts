/** Connected clusters. */
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { command } from './commands.js';
import type { Form } from './forms.js';
import { objects } from './forms.js';
import type { PhaseView } from './views.js';
import { phaseView } from './views.js';

export const CLUSTERS = 'clusters';

export interface ClusterView extends PhaseView {
  /** The user or team. */
  readonly owner: string;
  readonly online: boolean;
  readonly unusable: boolean;
  /** Where its kubeconfig is, as namespace/name. */
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
