import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { KubeObject } from '../../../api/resource.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy } from '../../registry/strategy.js';
import { descriptionColumn, displayNameColumn, textColumn } from '../columns.js';
import { giveOwner, keepOwner, ownerColumn } from '../sharing/owner.js';
import { kubeconfigEffects } from './kubeconfigrecord.js';
import { fieldInvalid, fieldRequired, type FieldError } from '../../apimachinery/errors.js';
import { dns1123Label, dns1123Subdomain } from '../../apimachinery/validation/names.js';
import { validateDataKey } from '../../registry/object/datakeys.js';
import { validateRuleCount } from '../sharing/accesslimit.js';

const statusOf = (object: KubeObject): NonNullable<Cluster['status']> => object.status ?? {};

const milliseconds = (ms: number | undefined): string => (ms === undefined ? '' : `${ms}ms`);

/** An agent that reports no release is shown as connected. */
const agentText = (agent: NonNullable<Cluster['status']>['agent']): string =>
  agent === undefined ? '' : (agent.version ?? 'connected');

/** Clusters are owned by their creator by default. */
export const clusterStrategy: Strategy<Cluster> = {
  generation: true,
  columns: [
    displayNameColumn,
    textColumn('Phase', 'How far the cluster is.', (cluster) => statusOf(cluster).phase ?? 'Pending'),
    textColumn('Online', 'Whether the cluster answered when it was asked last.', (cluster) =>
      String(statusOf(cluster).online ?? false),
    ),
    textColumn(
      'Version',
      'Version of Kubernetes, as the cluster told it last.',
      (cluster) => statusOf(cluster).version ?? '',
    ),
    ownerColumn('cluster', 1),
    ageColumn(humanAge),
    textColumn(
      'Latency',
      'Time that the cluster took to answer.',
      (cluster) => milliseconds(statusOf(cluster).latencyMilliseconds),
      1,
    ),
    textColumn(
      'Agent',
      'Release of the agents that have tunnels to the server.',
      (cluster) => agentText(statusOf(cluster).agent),
      1,
    ),
    descriptionColumn,
  ],
  prepareForCreate(object, { requester }) {
    object.status = { phase: 'Pending' };
    giveOwner(object, requester.name);
    fillConfig(object);
  },
  prepareForUpdate(next, previous) {
    keepOwner(next, previous);
    fillConfig(next);
  },
  effects: kubeconfigEffects,
  validate: (object) => validateCluster(object),
};

const SECRET_NAMESPACE = 'management-system';
const KEY = 'config';

/** Completes the location of the kubeconfig. */
function fillConfig({ spec }: Cluster): void {
  if (spec?.config === undefined) return;
  const { secretNamespace = '', key = '', ...rest } = spec.config;
  spec.config = { ...rest, secretNamespace: secretNamespace || SECRET_NAMESPACE, key: key || KEY };
}

function validateCluster({ spec = {} }: Cluster): FieldError[] {
  const errors = validateRuleCount('spec.access', spec.access);
  if (spec.config === undefined) return errors;
  const { secretName = '', secretNamespace = '', key = '' } = spec.config;
  const all = (member: string, value: string, texts: readonly string[]): FieldError[] =>
    texts.map((text) => fieldInvalid(`spec.config.${member}`, value, text));
  return [
    ...(secretName === ''
      ? [fieldRequired('spec.config.secretName')]
      : all('secretName', secretName, dns1123Subdomain(secretName))),
    ...all('secretNamespace', secretNamespace, dns1123Label(secretNamespace)),
    ...all('key', key, validateDataKey(key)),
    ...errors,
  ];
}
