/** Probes connected clusters and writes the result to their status. */
import { clusterScoped } from '../../../../api/resource.js';
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import { resourceOf, type ResourceClient, type ControllerContext } from '../../../controllers/interface.js';
import type { ManagementController, ManagementContext } from '../../controllercontext.js';
import { targetOf } from '../../../controllers/target.js';
import { LatencyReports } from './latency.js';
import { probe } from './probe.js';
import { forgetHealth, healthOf, withProbed } from './status.js';
import type { ConnectedAgents } from '../client/interface.js';
import type { WantedCondition } from '../../../controllers/condition.js';

/** The clusters by the Secret of their kubeconfig. */
interface SecretIndex {
  /** Undefined: the cluster was deleted. */
  set(cluster: string, object: Cluster | undefined): void;
  /** `secret`: its namespace and name. */
  clustersOf(secret: { readonly namespace: string; readonly name: string }): Iterable<string>;
  names(): Iterable<string>;
  clear(): void;
}

function secretIndex(): SecretIndex {
  const secrets = new Map<string, string>();
  const clusters = new Map<string, Set<string>>();
  return {
    set(cluster, object) {
      const before = secrets.get(cluster);
      if (before !== undefined) {
        const others = clusters.get(before);
        others?.delete(cluster);
        if (others?.size === 0) clusters.delete(before);
      }
      secrets.delete(cluster);
      if (object === undefined) return;
      const { secretNamespace = '', secretName = '' } = object.spec?.config ?? {};
      const path = `${secretNamespace}/${secretName}`;
      secrets.set(cluster, path);
      const named = clusters.get(path) ?? new Set();
      clusters.set(path, named.add(cluster));
    },
    clustersOf: ({ namespace, name }) => clusters.get(`${namespace}/${name}`) ?? [],
    names: () => secrets.keys(),
    clear() {
      secrets.clear();
      clusters.clear();
    },
  };
}

/** How often each cluster is probed. */
const PROBE_MS = 30_000;
/**
 * Rights of another API server take effect there a moment after its watches report them: they are checked
 * again after this time.
 */
const SETTLED_MS = 2_000;

export const clusterController: ManagementController<'clusters' | 'clusterRights'> = {
  name: 'cluster-controller',
  user: 'cluster-controller',
  workers: 1,
  start(context) {
    const clusters = resourceOf(context.client, Cluster);
    const { clusterRights, enqueue, now } = context;
    const latencies = new LatencyReports();
    const forget = (name: string): void => {
      forgetHealth(name, latencies);
      clusterRights.forget(name);
    };
    const unsettled = followAll(context, clusters, secretsOf(context), forget);
    context.onStop(context.clusters.followAgents((cluster) => enqueue(cluster)));
    return {
      clusterOf: (name) => name,
      async reconcile(name) {
        const cluster = clusters.cached(clusterScoped(name))?.object();
        if (cluster === undefined) return forget(name);
        const until = await clusterRights.watch(cluster);
        const probed = await probe(cluster, context.clusters);
        const agents = context.clusters.agents(name);
        const health = healthOf(cluster, probed, agents, latencies, performance.now());
        await ignoring(
          [404],
          clusters.update(targetOf(cluster, 'status'), (copy) => {
            const conditions = [...probed.conditions, ...agentClock(copy, agents)];
            return withProbed(copy, { ...probed, conditions }, health);
          }),
        );
        if (unsettled.delete(name)) enqueue(name, SETTLED_MS);
        if (until !== undefined) enqueue(name, Math.min(Math.max(until - now(), 1), PROBE_MS));
      },
    };
  },
};

/** Undefined if Secrets are at another API server and not watched here: then the next probe sees changes. */
const secretsOf = ({ client }: ControllerContext): ResourceClient | undefined =>
  client.resources.find(({ definition }) => definition.group === '' && definition.plural === 'secrets');

/** Probes the clusters whose rights have changed. */
function followAll(
  { follow, enqueue, every, clusterRights, onStop }: ManagementContext<'clusterRights'>,
  clusters: ResourceClient<Cluster>,
  secrets: ResourceClient | undefined,
  forget: (name: string) => void,
): Set<string> {
  const index = secretIndex();
  const unsettled = new Set<string>();
  const { cancel } = clusterRights.follow((name) => {
    unsettled.add(name);
    enqueue(name);
  });
  onStop(() => {
    cancel();
    for (const name of index.names()) clusterRights.forget(name);
  });
  const enqueueAll = (names: Iterable<string>): void => {
    for (const name of names) enqueue(name);
  };
  follow(clusters, {
    replaced() {
      index.clear();
      for (const cluster of clusters.list('')) this.changed(cluster, undefined);
    },
    changed(cluster, previous) {
      const object = cluster.object();
      index.set(cluster.name, object);
      if (previous?.object().metadata.generation !== object.metadata.generation) enqueue(cluster.name);
    },
    deleted({ name }) {
      index.set(name, undefined);
      forget(name);
    },
  });
  const named = (secret: { namespace: string; name: string }): void => enqueueAll(index.clustersOf(secret));
  if (secrets !== undefined)
    follow(secrets, { replaced: () => enqueueAll(index.names()), changed: named, deleted: named });
  every(PROBE_MS, () => enqueueAll(index.names()));
  return unsettled;
}

const TYPE = 'AgentClockSynchronized';
const REPORTED_DIFFERENCE_MS = 5_000;
const MINUTE_MS = 60_000;

/** The condition about the clocks of its agents' machines; none if no clock was ever wrong. */
export function agentClock(
  { status = {} }: Cluster,
  agents: ConnectedAgents | undefined,
): readonly WantedCondition[] {
  const { clockAheadMs: ahead } = agents ?? {};
  if (ahead !== undefined && Math.abs(ahead) >= REPORTED_DIFFERENCE_MS)
    return [{ type: TYPE, status: 'False', reason: 'ClockIsWrong', message: wrong(ahead) }];
  if (!(status.conditions ?? []).some(({ type }) => type === TYPE)) return [];
  return ahead === undefined
    ? [{ type: TYPE, status: 'Unknown', reason: 'NoAgent', message: 'no agent tells its time' }]
    : [{ type: TYPE, status: 'True', reason: 'Synchronized', message: '' }];
}

/** In steps, as clocks drift and every different message is a write. */
function wrong(ahead: number): string {
  const off = Math.abs(ahead);
  const difference =
    off < 2 * MINUTE_MS ? 'a few seconds' : `about ${roundedMinutes(off / MINUTE_MS)} minutes`;
  return `the clock of an agent's machine is ${difference} ${ahead > 0 ? 'ahead' : 'behind'}; the agent judges tokens by the time of this server`;
}

/** Rounds to two digits. */
function roundedMinutes(minutes: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(minutes)) - 1);
  return Math.round(minutes / step) * step;
}
