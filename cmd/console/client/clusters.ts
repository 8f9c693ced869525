/** Connected clusters. */
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';
import type { Condition } from '../../../api/meta/v1/condition.js';
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { command } from './commands.js';
import type { Form } from './forms.js';
import { objects } from './forms.js';

export const CLUSTERS = 'clusters';

export interface ClusterView {
  readonly metadata: ObjectMeta;
  readonly displayName: string;
  readonly description: string;
  /** The user or team. */
  readonly owner: string;
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  readonly online: boolean;
  readonly unusable: boolean;
  /** Where its kubeconfig is, as namespace/name. */
  readonly secret: string;
  readonly conditions: readonly Condition[];
}

export const clusterForm = (): Form<ClusterView> => objects(clusterViewOf);

export function clusterViewOf(object: KubeObject): ClusterView {
  const { metadata, spec = {}, status = {} } = object as Cluster;
  const { secretName = '', secretNamespace = '' } = spec.config ?? {};
  return {
    metadata,
    displayName: spec.displayName ?? '',
    description: spec.description ?? '',
    owner: spec.owner?.user || spec.owner?.team || '',
    phase: status.phase ?? 'Pending',
    reason: status.reason ?? '',
    message: status.message ?? '',
    online: status.online ?? false,
    unusable: spec.unusable ?? false,
    secret: secretName === '' ? '' : `${secretNamespace}/${secretName}`,
    conditions: status.conditions ?? [],
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
