/** The content and the layout of graphs. */
import { describe, expect, test } from '@jest/globals';
import { cutText } from './cuttext.js';
import { graphOf, MAX_NODES, type GraphNode } from './graph.js';
import { NODE_HEIGHT, placed } from './layout.js';

const node = (id: string): GraphNode => ({ id, look: 'rule', kind: 'Rule', name: id });
const chain = (...ids: string[]) => ({ nodes: ids.map(node) });

describe('a graph', () => {
  test('has each node and edge once, and one that is certain by any chain is certain', () => {
    const { nodes, edges } = graphOf([{ ...chain('a', 'b'), loose: true }, chain('a', 'b'), chain('c', 'b')]);
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(edges).toEqual([
      { from: 'a', to: 'b', loose: false },
      { from: 'c', to: 'b', loose: false },
    ]);
  });

  test('is bounded, whole chains are left out, and counted', () => {
    const chains = Array.from({ length: 10_000 }, (_one, at) => chain(`who-${at}`, `by-${at}`, 'object'));
    const graph = graphOf(chains);
    expect(graph.nodes.length).toBeLessThanOrEqual(MAX_NODES);
    expect(graph.left).toBe(10_000 - graph.edges.length / 2);
    expect(new Set(graph.edges.map(({ to }) => to)).has('object')).toBe(true);
  });

  test('has no more edges than can be told apart', () => {
    const sides = Array.from({ length: 30 }, (_one, at) => at);
    const graph = graphOf(sides.flatMap((from) => sides.map((to) => chain(`l${from}`, `r${to}`))));
    expect(graph.edges.length).toBe(150);
    expect(graph.left).toBe(750);
  });
});

describe('the layout', () => {
  test('goes from left to right, and no node is on another', () => {
    const { nodes, width, height, edges } = placed(
      graphOf([chain('a', 'x', 'o'), chain('b', 'x', 'o'), chain('c', 'o')]),
    );
    const at = new Map(nodes.map((one) => [one.node.id, one]));
    expect(at.get('a')?.x).toBeLessThan(at.get('x')?.x ?? 0);
    expect(at.get('x')?.x).toBeLessThan(at.get('o')?.x ?? 0);
    for (const one of nodes)
      for (const other of nodes)
        if (one !== other && one.x === other.x)
          expect(Math.abs(one.y - other.y)).toBeGreaterThanOrEqual(NODE_HEIGHT);
    expect(Math.min(width, height)).toBeGreaterThan(0);
    for (const { line } of edges) expect(line).toMatch(/^M[\d.-]+ [\d.-]+(C[\d. -]+)+$/);
  });

  test('takes any names, a circle, a loop and nothing', () => {
    const hostile = ['__proto__', 'constructor', '\u0001', '"><script>'];
    const graph = graphOf([chain(...hostile, '__proto__'), chain('a', 'a')]);
    expect(
      placed(graph)
        .nodes.map(({ node: { id } }) => id)
        .sort(),
    ).toEqual([...hostile, 'a'].sort());
    expect(placed(graphOf([])).nodes).toEqual([]);
  });

  test('of as much as there may be takes no two seconds of CPU', () => {
    const ranks = Array.from({ length: 20 }, (_one, at) => at);
    const chains = ranks.flatMap((at) => ranks.map((to) => chain(`l${at}`, `m${to}`, `r${(at * to) % 20}`)));
    const began = process.cpuUsage();
    placed(graphOf(chains));
    // It takes a tenth of a second.
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
  });
});

test.each([
  ['short', 5, 'short'],
  ['management-project-admin', 11, 'manag…admin'],
  ['👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 3, '👨‍👩‍👧‍👦…👨‍👩‍👧‍👦'],
  ['', 3, ''],
  ['x'.repeat(1_000_000), 5, 'xx…xx'],
])('%.20s is cut to %d', (text, most, cut) => {
  expect(cutText(text, most)).toBe(cut);
});
