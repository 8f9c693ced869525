import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { KubeObject } from '../../../api/resource.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy } from '../../registry/strategy.js';
import { descriptionColumn, displayNameColumn, textColumn } from '../columns.js';
import { giveOwner, keepOwner, ownerColumn } from '../people/owner.js';
import { fillConfig, validateCluster } from './config.js';
import { kubeconfigEffects } from './kubeconfigrecord.js';

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
