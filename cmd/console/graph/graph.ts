/** Graphs to draw: a bounded number of nodes, from chains. */

/** The type of a node, which decides its appearance. */
export type Look = 'object' | 'person' | 'group' | 'rule' | 'role' | 'finalizer';

export interface GraphNode {
  /** Nodes with the same id are one node. */
  readonly id: string;
  readonly look: Look;
  /** The label of its kind, in one or two words. */
  readonly kind: string;
  readonly name: string;
  /** Additional text, if there is room. */
  readonly note?: string;
  /** The path in the API of the object to which the node links; absent: there is no link. */
  readonly path?: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Drawn with dashes: the edge is uncertain, or does not block a deletion. */
  readonly loose: boolean;
}

/** Nodes in which each leads to the next. */
export interface Chain {
  readonly nodes: readonly GraphNode[];
  readonly loose?: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The number of chains that are left out, as the graph would have too many nodes or edges. */
  readonly left: number;
}

export const MAX_NODES = 60;
/** The maximum number of edges. Many chains may share nodes. */
const MAX_EDGES = 150;

/** The graph contains a chain completely, or not at all. The first chains are added first. */
export function graphOf(chains: readonly Chain[], maxNodes = MAX_NODES): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  let left = 0;
  for (const { nodes: chain, loose = false } of chains) {
    const newNodes = chain.filter(({ id }) => !nodes.has(id));
    const steps = chain.slice(1).map((to, at) => ({ from: chain[at]?.id ?? '', to: to.id, loose }));
    const newSteps = steps.filter((step) => edges.get(keyOf(step))?.loose !== false);
    if (nodes.size + newNodes.length > maxNodes || edges.size + newSteps.length > MAX_EDGES) left += 1;
    else {
      for (const node of newNodes) nodes.set(node.id, node);
      // An edge that is certain in one chain is certain.
      for (const step of newSteps) edges.set(keyOf(step), step);
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], left };
}

const keyOf = ({ from, to }: Pick<GraphEdge, 'from' | 'to'>): string => JSON.stringify([from, to]);

/** The ids of a node, of all nodes that lead to it and of all nodes that it leads to. */
export function connected({ edges }: Pick<Graph, 'edges'>, id: string): ReadonlySet<string> {
  const follow = (next: (edge: GraphEdge) => readonly [string, string]): string[] => {
    const found = new Set([id]);
    // The loop also visits the items that are added to the set during iteration.
    for (const at of found)
      for (const edge of edges) {
        const [from, to] = next(edge);
        if (from === at) found.add(to);
      }
    return [...found];
  };
  return new Set([...follow(({ from, to }) => [from, to]), ...follow(({ from, to }) => [to, from])]);
}
