/** Graphs as they are drawn: a bounded number of nodes, put together from chains. */

/** The type of a node, which gives it its look. */
export type Look = 'object' | 'person' | 'group' | 'rule' | 'role' | 'finalizer';

export interface GraphNode {
  /** Nodes of one id are one. */
  readonly id: string;
  readonly look: Look;
  /** Its type, in a word or two. */
  readonly kind: string;
  readonly name: string;
  /** What else is told of it, where there is room. */
  readonly note?: string;
  /** Of the object in the API, which the node leads to; absent: it is none that can be gone to. */
  readonly path?: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Drawn with dashes: it is not certain, or holds nothing up. */
  readonly loose: boolean;
}

/** Nodes of which each leads to the next. */
export interface Chain {
  readonly nodes: readonly GraphNode[];
  readonly loose?: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Chains that are not in it, as there would be too many nodes or edges. */
  readonly left: number;
}

export const MAX_NODES = 60;
/** Many chains may have the same nodes. */
const MAX_EDGES = 150;

/** A chain is in the graph as a whole, or not at all; the first ones are. */
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
      // What is certain by one chain is certain.
      for (const step of newSteps) edges.set(keyOf(step), step);
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], left };
}

const keyOf = ({ from, to }: Pick<GraphEdge, 'from' | 'to'>): string => JSON.stringify([from, to]);

/** The ids of a node, of all that lead to it and of all that it leads to. */
export function connected({ edges }: Pick<Graph, 'edges'>, id: string): ReadonlySet<string> {
  const follow = (next: (edge: GraphEdge) => readonly [string, string]): string[] => {
    const found = new Set([id]);
    // A set is gone through with what is added to it meanwhile.
    for (const at of found)
      for (const edge of edges) {
        const [from, to] = next(edge);
        if (from === at) found.add(to);
      }
    return [...found];
  };
  return new Set([...follow(({ from, to }) => [from, to]), ...follow(({ from, to }) => [to, from])]);
}
