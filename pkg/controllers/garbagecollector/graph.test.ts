import { describe, expect, test } from '@jest/globals';
import type { OwnerReference } from '../../../api/resource.js';
import { ConfigMap } from '../../../api/core/v1/configmap.js';
import type { ResourceClient } from '../interface.js';
import { createAbsentOwners } from './owners.js';
import { describeGraph } from './describe.js';
import { createGraph, type Dependent } from './graph.js';

const resource = { definition: ConfigMap } as unknown as ResourceClient;
const owner = (uid: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
});
const dependent = (uid: string, ...owners: OwnerReference[]): Dependent => ({
  uid,
  resource,
  namespace: 'n',
  name: uid,
  owners,
});

function graphOf(...dependents: Dependent[]): { graph: ReturnType<typeof createGraph>; unblocked: string[] } {
  const unblocked: string[] = [];
  const graph = createGraph({
    counts: ({ uid }, reference) => reference.uid !== uid,
    unblocked: (_, { uid }) => unblocked.push(uid),
  });
  for (const one of dependents) graph.set(one);
  return { graph, unblocked };
}

describe('the graph of owners', () => {
  test('has dependents and the number that block', () => {
    const { graph } = graphOf(dependent('a', owner('o', true)), dependent('b', owner('o')));
    expect(graph.size).toBe(2);
    expect(graph.owner('o')?.blocking).toBe(1);
    expect([...(graph.owner('o')?.dependents ?? [])].map(({ uid }) => uid)).toEqual(['a', 'b']);
  });

  test('reports whether owners changed', () => {
    const { graph } = graphOf(dependent('a', owner('o')));
    expect(graph.set(dependent('a', owner('o')))).toBe(false);
    expect(graph.set(dependent('a', owner('o', true)))).toBe(true);
    expect(graph.set(dependent('a', owner('p')))).toBe(true);
    expect(graph.set(dependent('new'))).toBe(false);
  });

  test('reports when no dependent blocks an owner any more', () => {
    const { graph, unblocked } = graphOf(dependent('a', owner('o', true)), dependent('b', owner('o', true)));
    graph.delete('a');
    expect(unblocked).toEqual([]);
    graph.set(dependent('b', owner('o', false)));
    expect(unblocked).toEqual(['o']);
  });

  test('forgets dependents without owners, and owners without dependents', () => {
    const { graph } = graphOf(dependent('a', owner('o')), dependent('b', owner('o'), owner('p')));
    graph.set(dependent('a'));
    graph.delete('b');
    expect(graph.size).toBe(0);
    expect([...graph.owners()]).toEqual([]);
  });

  test('ignores invalid references, and counts duplicates once', () => {
    const { graph } = graphOf(dependent('a', owner('a', true), owner('o', true), owner('o', true)));
    expect(graph.owner('a')).toBeUndefined();
    expect(graph.owner('o')?.blocking).toBe(1);
    graph.delete('a');
    expect(graph.owner('o')).toBeUndefined();
  });

  test('is printed as valid JSON while it changes', () => {
    const { graph } = graphOf(dependent('a', owner('o')), dependent('b', owner('o')));
    const pieces: string[] = [];
    for (const piece of describeGraph(graph, 'json')) {
      graph.delete('b');
      pieces.push(piece);
    }
    expect((JSON.parse(pieces.join('')) as { nodes: { uid: string }[] }).nodes.map(({ uid }) => uid)).toEqual(
      ['a'],
    );
  });
});

test('remembers absent owners, and forgets the least recently used first', () => {
  const absent = createAbsentOwners(2);
  absent.add('a');
  absent.add('b');
  expect(absent.has('a')).toBe(true);
  absent.add('c');
  expect(['a', 'b', 'c'].map((uid) => absent.has(uid))).toEqual([true, false, true]);
  expect(absent.size).toBe(2);
});
