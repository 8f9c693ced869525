/** Paths of this server into connected clusters, and the same paths at their agents. */
import { dns1123Subdomain } from '../apimachinery/validation/names.js';

/** The destination of a path: a Cluster by its name, or the location of an instance. */
export type ClusterPlace =
  | { readonly kind: 'cluster'; readonly name: string }
  | { readonly kind: 'space' | 'virtualcluster'; readonly project: string; readonly name: string }
  | { readonly kind: 'none' };

export interface ClusterPath {
  readonly place: ClusterPlace;
  /** With its query. */
  readonly url: string;
  readonly prefix: { readonly agent: string; readonly client: string };
}

const BEGIN = /^\/kubernetes\/(?:cluster|project)\//;
const CLUSTER = /^\/kubernetes\/cluster\/([^/?]+)(.*)$/s;
const INSTANCE = /^\/kubernetes\/project\/([^/?]+)\/(space|virtualcluster)\/([^/?]+)(?=[/?]|$)/;
const AGENT_CLUSTER = '/kubernetes/cluster';
const NONE: ClusterPlace = { kind: 'none' };

/**
 * Undefined for other paths. Names are not decoded: a name with an escape matches nothing. The agent
 * interprets the rest of the path.
 */
export function readClusterPath(url: string): ClusterPath | undefined {
  if (!BEGIN.test(url)) return undefined;
  const [, name, rest = ''] = CLUSTER.exec(url) ?? [];
  if (name !== undefined) {
    const place: ClusterPlace = isName(name) ? { kind: 'cluster', name } : NONE;
    const prefix = { agent: AGENT_CLUSTER, client: `${AGENT_CLUSTER}/${name}` };
    return { place, url: AGENT_CLUSTER + rest, prefix };
  }
  const [own = '', project = '', kind, instance = ''] = INSTANCE.exec(url) ?? [];
  const place: ClusterPlace =
    (kind === 'space' || kind === 'virtualcluster') && isName(project) && isName(instance)
      ? { kind, project, name: instance }
      : NONE;
  return { place, url, prefix: { agent: own, client: own } };
}

const isName = (text: string): boolean => dns1123Subdomain(text).length === 0;
