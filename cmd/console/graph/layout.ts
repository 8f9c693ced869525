/** The layout of a graph, from left to right; all lengths in px. */
import {
  Graph as Layout,
  layout,
  type EdgeLabel,
  type GraphLabel,
  type NodeLabel,
  type Point,
} from '@dagrejs/dagre';
import type { Graph, GraphEdge, GraphNode } from './graph.js';

export const NODE_WIDTH = 180;
/** The height of a node without a note, and of a line with a note. */
export const NODE_HEIGHT = 48;
const NOTE_HEIGHT = 16;
const GAPS = { nodesep: 12, ranksep: 34, marginx: 4, marginy: 4 } as const;

/** `x`, `y`: the upper left corner. */
export interface PlacedNode {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

interface PlacedEdge {
  readonly edge: GraphEdge;
  /** The `d` attribute of an SVG path. */
  readonly line: string;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  /** From left to right, and in each column from top to bottom: the reading order and the tab order. */
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export function placed({ nodes, edges }: Pick<Graph, 'nodes' | 'edges'>): Placed {
  const drawn = new Layout<GraphLabel, NodeLabel, EdgeLabel>();
  drawn.setGraph({ rankdir: 'LR', ...GAPS });
  // The library keeps nodes in plain objects, so names that users chose are not used as keys.
  const keys = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const keyOf = (id: string): string => keys.get(id) ?? '';
  for (const node of nodes.toReversed())
    drawn.setNode(keyOf(node.id), { width: NODE_WIDTH, height: heightOf(node) });
  for (const { from, to } of edges) drawn.setEdge(keyOf(from), keyOf(to), {});
  layout(drawn);
  const { width = 0, height = 0 } = drawn.graph();
  const centre = (id: string): Point => {
    const { x = 0, y = 0 } = drawn.node(keyOf(id));
    return { x, y };
  };
  return {
    width,
    height,
    nodes: nodes
      .map((node) => {
        const { x, y } = centre(node.id);
        const own = heightOf(node);
        return { node, x: x - NODE_WIDTH / 2, y: y - own / 2, height: own };
      })
      .sort((one, other) => one.x - other.x || one.y - other.y),
    edges: edges.map((edge) => {
      const { points = [] } = drawn.edge(keyOf(edge.from), keyOf(edge.to));
      return { edge, line: lineOf(fromSideToSide(points, centre(edge.from), centre(edge.to))) };
    }),
  };
}

/** The library ends lines anywhere on a box; lines to the right start and end in the middle of a side. */
function fromSideToSide(points: readonly Point[], from: Point, to: Point): readonly Point[] {
  if (to.x - from.x < NODE_WIDTH) return points;
  const [begin, end] = [
    { x: from.x + NODE_WIDTH / 2, y: from.y },
    { x: to.x - NODE_WIDTH / 2, y: to.y },
  ];
  const between = points.slice(1, -1).filter(({ x }) => x > begin.x && x < end.x);
  return [begin, ...between, end];
}

const heightOf = ({ note = '' }: GraphNode): number => NODE_HEIGHT + (note === '' ? 0 : NOTE_HEIGHT);

/** A curve that is horizontal at every point. */
function lineOf(points: readonly Point[]): string {
  return points
    .map(({ x, y }, at) => {
      const before = points[at - 1];
      if (before === undefined) return `M${x} ${y}`;
      const middle = (before.x + x) / 2;
      return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`;
    })
    .join('');
}
