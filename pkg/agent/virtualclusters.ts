/**
 * The API servers of virtual clusters in this cluster, reached with the kubeconfigs in Secrets beside them.
 */
import { membersOf, textIn } from '../apimachinery/encoding/members.js';
import { decodeYaml } from '../apimachinery/encoding/yaml/yaml.js';
import { checkKubeconfig } from '../management/clusters/client/kubeconfig.js';
import type { HostSettings } from '../hostclient/configuration.js';
import type { HostClient } from '../hostclient/interface.js';
import { settingsOf } from './configuration.js';
import type { Place, Upstream } from './interface.js';
import { upstreamTo } from './upstream.js';
import { messageOf } from '../apimachinery/caught.js';

export interface VirtualClusterSettings {
  /** A client of their cluster. */
  readonly client: Pick<HostClient, 'send'>;
  /**
   * The URL of the API server of a virtual cluster. It never comes from its kubeconfig: users that may write
   * Secrets in its namespace could send the agent to any address.
   */
  readonly server?: (place: Place) => string;
  /** Called with the reason when one cannot be reached; without credentials. */
  readonly failed: (why: string) => void;
}

export interface VirtualClusters {
  /** Sends nothing yet. */
  upstream(place: Place): Upstream;
  close(): void;
}

/** The maximum of cached connections; the oldest is dropped first. */
const MAX_UPSTREAMS = 500;

/** The Service beside its kubeconfig. */
export const serviceOf = ({ namespace, virtualCluster = '' }: Place): string =>
  `https://${virtualCluster}.${namespace}.svc`;

export function virtualClusters({
  client,
  server = serviceOf,
  failed,
}: VirtualClusterSettings): VirtualClusters {
  const upstreams = new Map<string, Upstream>();

  async function read(place: Place): Promise<HostSettings> {
    const { namespace, virtualCluster = '' } = place;
    const path = `/api/v1/namespaces/${namespace}/secrets/vc-${virtualCluster}`;
    try {
      const { status, body } = await client.send({ method: 'GET', path });
      if (status !== 200) throw new Error(`${path}: ${status}`);
      return settingsFrom(body, server(place), path);
    } catch (error) {
      failed(messageOf(error));
      throw error;
    }
  }
  return {
    upstream(place) {
      const key = `${place.namespace}/${place.virtualCluster ?? ''}`;
      const known = upstreams.get(key);
      if (known !== undefined) return known;
      const made = upstreamTo(() => read(place));
      const [oldest] = upstreams.keys();
      if (upstreams.size >= MAX_UPSTREAMS && oldest !== undefined) upstreams.delete(oldest);
      upstreams.set(key, made);
      return made;
    },
    close() {
      for (const upstream of upstreams.values()) upstream.close();
    },
  };
}

/** Throws Error without the content of the Secret. */
function settingsFrom(secret: unknown, server: string, path: string): HostSettings {
  const text = Buffer.from(textIn(membersOf(secret).data, 'config') ?? '', 'base64').toString('utf8');
  const checked = checkKubeconfig(() => decodeYaml(text));
  if ('findings' in checked)
    throw new Error(
      `${path}: ${checked.findings.map(({ path: field }) => field).join(', ')} of its kubeconfig`,
    );
  return settingsOf({ ...checked.credentials, server });
}
