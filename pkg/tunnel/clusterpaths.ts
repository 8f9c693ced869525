/** Paths of this server that lead into connected clusters, and what their agents call them. */
import { dns1123Subdomain } from '../apimachinery/validation/names.js';

/** Where a path leads: to a Cluster by its name, or to wherever an instance is. */
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
 * Undefined of every other path. Names are taken in their one spelling: an escape in one makes it nobody's, and is never decoded to
 * another. What comes after them is the agent's to read.
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
