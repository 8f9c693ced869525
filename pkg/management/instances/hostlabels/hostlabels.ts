/** Labels the host namespace of an imported virtual cluster with its instance. */
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { StatusError } from '../../../apimachinery/errors.js';
import { IMPORTED_ANNOTATION, projectOfNamespace } from '../../projects/names.js';
import { foreignText } from '../../clusters/client/foreigntext.js';
import type { ClusterClient } from '../../clusters/client/interface.js';
import { withWantedConditions, type WantedCondition } from '../../../controllers/condition.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import { ClusterIndex } from '../../clusters/clusterindex.js';
import { resourceOf, type CachedObject } from '../../../controllers/interface.js';
import type { ManagementController } from '../../controllercontext.js';
import { targetOf } from '../../../controllers/target.js';
import { delayOf } from '../changedelay.js';
import { HOST_LABELLED } from '../reservedstatus.js';

const LABEL = 'management.svc.example/vcluster-instance-';

/** The maximum bytes of a namespace. */
const MAX_BYTES = 1024 * 1024;

/** The wanted labels of a host namespace; null removes one. */
type Labels = Readonly<Record<string, string | null>>;

interface Host {
  readonly cluster: string;
  readonly namespace: string;
}

/**
 * The status has the condition HostLabelled. Labels of a deleted instance are removed if its cluster answers.
 */
export const hostLabelsController: ManagementController<'clusters' | 'projectNamespacePrefix'> = {
  name: 'host-labels-controller',
  user: 'host-labels-controller',
  workers: 4,
  clusterWorkers: 4,
  start({ client, clusters, enqueue, follow, log, projectNamespacePrefix }) {
    const instances = resourceOf(client, VirtualClusterInstance);
    const left = new Map<string, Host>();
    const index = new ClusterIndex();
    const add = (instance: CachedObject<VirtualClusterInstance>, afterMs = 0): void => {
      const key = `${instance.namespace}/${instance.name}`;
      index.set(key, hostOf(instance.object())?.cluster ?? '');
      enqueue(key, afterMs);
    };
    follow(instances, {
      replaced: () => {
        for (const one of instances.list('')) add(one);
      },
      changed: (instance, previous) => add(instance, delayOf(instance.object(), previous?.object())),
      deleted(gone) {
        const host = hostOf(gone.object());
        if (host !== undefined) left.set(`${gone.namespace}/${gone.name}`, host);
        add(gone);
      },
    });
    return {
      clusterOf: (key) => index.clusterOf(key),
      async reconcile(key) {
        const [namespace = '', name = ''] = key.split('/');
        const instance = instances.cached({ namespace, name })?.object();
        const host = instance === undefined ? left.get(key) : hostOf(instance);
        left.delete(key);
        if (instance === undefined) index.set(key, '');
        if (host === undefined) return;
        if (instance === undefined) {
          // A missing object in the cache is no proof.
          if ((await instances.live({ namespace, name })) !== undefined) return enqueue(key);
          const { reason, message } = await label(clusters, host, NO_LABELS);
          if (reason !== 'Labelled') log.warn({ instance: key, message }, 'labels of a host namespace stay');
          return;
        }
        if (isLabelled(instance)) return;
        const wanted = await label(clusters, host, labelsOf(instance, projectNamespacePrefix));
        await ignoring(
          [404],
          instances.update(targetOf(instance, 'status'), (copy) => withHostLabelled(copy, wanted)),
        );
        if (wanted.status !== 'True') throw new Error(wanted.message);
      },
    };
  },
};

const READY: WantedCondition = { type: 'Ready', status: 'True', reason: 'Ready', message: '' };

/** An imported virtual cluster runs already: it is ready once its host namespace is labelled. */
function withHostLabelled(
  copy: VirtualClusterInstance,
  wanted: WantedCondition,
): VirtualClusterInstance | undefined {
  const isDone = wanted.status === 'True';
  // An instance that is marked as imported later says that nothing creates it.
  const saysWhy = copy.status?.conditions?.some(({ type }) => type === READY.type) === true;
  const next = withWantedConditions(copy, isDone && saysWhy ? [wanted, READY] : [wanted]);
  if (!isDone || copy.status?.phase === 'Ready') return next;
  const changed = next ?? copy;
  const { reason: _reason, message: _message, ...status } = changed.status ?? {};
  return { ...changed, status: { ...status, phase: 'Ready' } };
}

const NO_LABELS: Labels = Object.fromEntries(
  ['name', 'namespace', 'project'].map((of) => [LABEL + of, null]),
);

function labelsOf(
  { metadata: { name = '', namespace = '' } }: VirtualClusterInstance,
  prefix: string,
): Labels {
  return {
    [`${LABEL}name`]: name,
    [`${LABEL}namespace`]: namespace,
    [`${LABEL}project`]: projectOfNamespace(prefix, namespace) ?? '',
  };
}

/** Undefined for an instance whose location the server chose: it has no content yet. */
function hostOf(instance: VirtualClusterInstance): Host | undefined {
  if (instance.metadata.annotations?.[IMPORTED_ANNOTATION] !== 'true') return undefined;
  const { cluster, namespace } = instance.spec?.clusterRef ?? {};
  return cluster && namespace ? { cluster, namespace } : undefined;
}

function isLabelled(instance: VirtualClusterInstance): boolean {
  const { conditions = [] } = instance.status ?? {};
  return conditions.some(({ type, status }) => type === HOST_LABELLED && status === 'True');
}

async function label(
  clusters: Pick<ClusterClient, 'connect'>,
  { cluster, namespace }: Host,
  labels: Labels,
): Promise<WantedCondition> {
  const failed = (reason: string, message: string): WantedCondition => ({
    type: HOST_LABELLED,
    status: 'False',
    reason,
    message,
  });
  try {
    const connection = await clusters.connect(cluster);
    const { status, object } = await connection.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}`,
      body: { metadata: { labels } },
      contentType: 'application/merge-patch+json',
      maxBytes: MAX_BYTES,
    });
    if (status === 200) return { type: HOST_LABELLED, status: 'True', reason: 'Labelled', message: '' };
    return failed('Refused', `cluster "${cluster}" answers ${status}: ${foreignText(object.message)}`);
  } catch (error) {
    if (error instanceof StatusError) return failed('ClusterUnreachable', error.message);
    throw error;
  }
}
