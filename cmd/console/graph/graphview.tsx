import { useId, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useTexts } from '../texts/texts.js';
import { cutText } from './cuttext.js';
import { connected, type Graph, type GraphNode } from './graph.js';
import { NODE_WIDTH, placed, type PlacedNode } from './layout.js';
import { NodeLink } from './nodelink.js';

export interface Props {
  readonly graph: Graph;
  /** The label of the graph. */
  readonly label: string;
  /** The id of the list with the same content. */
  readonly describedBy: string;
}

/** A graph. Nodes whose object has a page are links. A list beside the graph has the same content. */
export function GraphView({ graph, label, describedBy }: Props) {
  const { graphs: texts } = useTexts();
  const arrow = useId();
  const [active, setActive] = useState<string>();
  const { width, height, nodes, edges } = useMemo(() => placed(graph), [graph]);
  const lit = useMemo(() => (active === undefined ? undefined : connected(graph, active)), [graph, active]);
  const frame = useCentred(nodes, height);
  return (
    <figure className="graph">
      <div
        ref={frame}
        className="graph-window"
        tabIndex={0}
        role="group"
        aria-label={label}
        aria-details={describedBy}
      >
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} className={lit && 'chosen'}>
          <defs>
            <marker
              id={arrow}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8z" className="graph-arrow" />
            </marker>
          </defs>
          <g aria-hidden="true">
            {edges.map(({ edge: { from, to, loose }, line }) => (
              <path
                key={`${from} ${to}`}
                d={line}
                className={classOf('graph-edge', loose && 'loose', lit?.has(from) && lit.has(to) && 'lit')}
                markerEnd={`url(#${arrow})`}
              />
            ))}
          </g>
          {nodes.map((one) => (
            <g
              key={one.node.id}
              className={classOf('graph-node', one.node.look, lit?.has(one.node.id) === true && 'lit')}
              onPointerEnter={() => setActive(one.node.id)}
              onPointerLeave={() => setActive(undefined)}
              onFocus={() => setActive(one.node.id)}
              onBlur={() => setActive(undefined)}
            >
              <Node {...one} />
            </g>
          ))}
        </svg>
      </div>
      {graph.left > 0 && <figcaption className="hint">{texts.left(graph.left)}</figcaption>}
    </figure>
  );
}

/** Scrolls so that the object of the graph is in the center. */
function useCentred(nodes: readonly PlacedNode[], height: number): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const about = nodes.find(({ node }) => node.look === 'object');
    const { current } = frame;
    if (about !== undefined && current !== null)
      current.scrollTop = about.y + about.height / 2 - current.clientHeight / 2;
  }, [height]);
  return frame;
}

const classOf = (...names: readonly (string | false | undefined)[]): string =>
  names.filter(Boolean).join(' ');

const KIND_FITS = 27;
const NAME_FITS = 18;
const TOLD = 200;
const PADDING = 12;

/** The lines of a node, shortened to fit; `full`: the complete text if it was shortened. */
function linesOf({ kind, name, note = '' }: GraphNode): { lines: readonly string[]; full: string } {
  const lines = [cutText(kind, KIND_FITS), cutText(name, NAME_FITS), cutText(note, KIND_FITS)];
  const isCut = lines[0] !== kind || lines[1] !== name || lines[2] !== note;
  const full = [kind, name, note].map((text) => cutText(text, TOLD)).join(' ');
  return { lines, full: isCut ? full.trim() : '' };
}

/** Long texts are shortened by characters, and clipped by the box if their characters are wide. */
function Node({ node, x, y, height }: PlacedNode) {
  const { lines, full } = linesOf(node);
  const [kind, name, note] = lines;
  return (
    <>
      {full !== '' && <title>{full}</title>}
      <NodeLink path={node.path} label={lines.filter((line) => line !== '').join(' ')}>
        <svg x={x} y={y} width={NODE_WIDTH} height={height} overflow="hidden">
          <rect x="2" y="2" width={NODE_WIDTH - 4} height={height - 4} rx="8" />
          <svg x={PADDING} width={NODE_WIDTH - 2 * PADDING} height={height} overflow="hidden">
            <text className="graph-kind" y="19">
              {kind}
            </text>{' '}
            <text className="graph-name" y="37">
              {name}
            </text>{' '}
            <text className="graph-kind" y="53">
              {note}
            </text>
          </svg>
        </svg>
      </NodeLink>
    </>
  );
}
