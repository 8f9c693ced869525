/** Connections to Cluster objects, by the kubeconfigs in the Secrets that they name. */
import type { Duplex } from 'node:stream';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { KubeObject, ObjectKey } from '../../../../api/resource.js';
import type { JsonDecoded } from '../../../apimachinery/encoding/json.js';
import { textIn } from '../../../apimachinery/encoding/members.js';
import { aggregate, badRequest, notFound } from '../../../apimachinery/errors.js';
import type { AddressPolicy } from './addresspolicy.js';
import { wayByAgent, type AgentWay } from './byagent.js';
import { connectionBy, connectionOf } from './connection.js';
import { KubeconfigRevoked, type ClusterClient, type ConnectedAgents, type Connection } from './interface.js';
import { MAX_KUBECONFIG, checkKubeconfig, type ClusterCredentials } from './kubeconfig.js';

/** The source of objects, which may be shared and are not changed. Reads may reject with a StatusError. */
export interface ClusterSources {
  cluster(name: string): Promise<Cluster | undefined>;
  secret(key: ObjectKey): Promise<KubeObject | undefined>;
  /** Whether the Secret may be used for the Cluster that names it; called for every connection. */
  check(
    cluster: Cluster,
    secret: KubeObject,
  ): Promise<{ readonly holds: true } | { readonly holds: false; readonly why: string }>;
  /** Connects to the API server of a Cluster through the tunnel of its agent. Rejects with a StatusError. */
  dial(cluster: string): Promise<Duplex>;
  followAgents: ClusterClient['followAgents'];
  /** The agents of a Cluster, for this server itself; undefined: none is connected, or its user is not known. */
  byAgent(cluster: string): AgentWay | undefined;
  /** The Cluster of the host, while it declares itself as such (`spec.local`); undefined: there is none. */
  readonly local: { readonly name: string; connect(): Promise<Connection> } | undefined;
  /** The agents of a Cluster that have tunnels. */
  agents(cluster: string): ConnectedAgents | undefined;
  /** Reads YAML of any size as `decodeYaml` does, without blocking the event loop. */
  readYaml(text: Buffer): Promise<() => JsonDecoded>;
}

const CLUSTERS = { group: 'management.svc.example', plural: 'clusters' };

/** Annotation of a Cluster: `true` if its API server is reached only through the tunnel of its agent. */
const API_SERVER_TUNNEL = 'management.svc.example/api-server-tunnel';

interface PooledConnection {
  readonly kubeconfig: string;
  readonly tunnel: boolean;
  readonly connection: Promise<Connection>;
}

/** Keeps one connection for each cluster while its kubeconfig is unchanged. */
export function clusterClient(sources: ClusterSources, policy: AddressPolicy): ClusterClient {
  const connections = new Map<string, PooledConnection>();
  const drop = (name: string): void => {
    connections.get(name)?.connection.then(
      (connection) => connection.close(),
      () => undefined,
    );
    connections.delete(name);
  };

  return {
    async connect(name) {
      const what = `cluster "${name}"`;
      const cluster = await sources.cluster(name);
      if (cluster === undefined) drop(name);
      if (cluster === undefined) throw notFound(CLUSTERS, name);
      if (isLocal(cluster) && sources.local?.name === name) {
        drop(name);
        return sources.local.connect();
      }
      const agent = namesKubeconfig(cluster) ? undefined : sources.byAgent(name);
      if (agent !== undefined) {
        const known = connections.get(name);
        if (known?.kubeconfig === BY_AGENT) return known.connection;
        drop(name);
        const connection = Promise.resolve(connectionBy(what, wayByAgent(what, agent)));
        connections.set(name, { kubeconfig: BY_AGENT, tunnel: true, connection });
        return connection;
      }
      const { text, where } = await kubeconfigOf(what, cluster, sources).catch((error: unknown) => {
        if (error instanceof KubeconfigRevoked) drop(name);
        throw error;
      });
      const tunnel = cluster.metadata.annotations?.[API_SERVER_TUNNEL] === 'true';
      const before = connections.get(name);
      if (before?.kubeconfig === text && before.tunnel === tunnel) return before.connection;
      drop(name);
      const dial = tunnel ? () => sources.dial(name) : undefined;
      const connection = credentialsIn(where, text, sources).then((found) =>
        connectionOf(what, found, policy, undefined, dial),
      );
      connections.set(name, { kubeconfig: text, tunnel, connection });
      connection.catch(() => connections.get(name)?.connection === connection && connections.delete(name));
      return connection;
    },
    async connectBy(what, kubeconfig, server) {
      const credentials = await credentialsIn(`the kubeconfig of ${what}`, kubeconfig, sources);
      return connectionOf(what, server === undefined ? credentials : { ...credentials, server }, policy);
    },
    agents: sources.agents,
    followAgents: sources.followAgents,
    close() {
      for (const name of [...connections.keys()]) drop(name);
    },
  };
}

/** In place of the text of a kubeconfig. */
const BY_AGENT = '';

const namesKubeconfig = ({ spec }: Cluster): boolean => (spec?.config?.secretName ?? '') !== '';

/** A kubeconfig, if there is one, takes precedence. */
const isLocal = (cluster: Cluster): boolean => cluster.spec?.local === true && !namesKubeconfig(cluster);

interface FoundKubeconfig {
  readonly text: string;
  /** The source in error messages. */
  readonly where: string;
}

async function kubeconfigOf(
  what: string,
  cluster: Cluster,
  sources: ClusterSources,
): Promise<FoundKubeconfig> {
  const { secretName = '', secretNamespace = '', key = '' } = cluster.spec?.config ?? {};
  if (secretName === '') {
    const why = isLocal(cluster)
      ? 'it is local, and not the one that --local-cluster names'
      : 'spec.config names no Secret, and no agent is connected';
    throw badRequest(`${what} has no kubeconfig: ${why}`);
  }
  const secret = await sources.secret({ namespace: secretNamespace, name: secretName });
  const found = `Secret ${secretNamespace}/${secretName}`;
  if (secret === undefined) throw badRequest(`${what} has no kubeconfig: there is no ${found}`);
  const verdict = await sources.check(cluster, secret);
  if (!verdict.holds) {
    const { status } = badRequest(`${what}: the right that its kubeconfig was used by has ended`);
    throw new KubeconfigRevoked(status, verdict.why);
  }
  const value = textIn(secret.data, key);
  if (value === undefined) throw badRequest(`${what} has no kubeconfig: ${found} has no key "${key}"`);
  const where = `the kubeconfig of ${what} in ${found}, key "${key}"`;
  return { text: Buffer.from(value, 'base64').toString('utf8'), where };
}

const NOTHING = (): JsonDecoded => ({ value: null, duplicates: [] });

async function credentialsIn(
  where: string,
  kubeconfig: string,
  { readYaml }: ClusterSources,
): Promise<ClusterCredentials> {
  const tooLong = kubeconfig.length > MAX_KUBECONFIG;
  const checked = checkKubeconfig(tooLong ? NOTHING : await readYaml(Buffer.from(kubeconfig)));
  if ('credentials' in checked) return checked.credentials;
  throw badRequest(`${where} is refused: ${aggregate(checked.findings)}`);
}
