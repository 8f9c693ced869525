/** The dependents and finalizers that delay a deletion, as a graph. */
import { graphOf, type Chain, type Graph, type GraphNode } from '../../graph/graph.js';
import { pathIn } from '../paths.js';
import type { Dependent } from './waiting.js';

const FOREGROUND = 'foregroundDeletion';
const PROJECT_NAMESPACE = 'management.svc.example/project-namespace';

export interface Deleted {
  readonly uid: string;
  readonly resource: string;
  readonly name: string;
  /** The path of the object in the API. */
  readonly path: string;
  readonly finalizers: readonly string[];
  /** A namespace that is deleted with the object; empty: none. */
  readonly holds: string;
}

export interface DeletionTexts {
  readonly finalizer: string;
  readonly namespace: string;
  readonly deleting: string;
}

/** An object is to the left of the objects that it waits for. */
export function deletionGraph(
  deleted: Deleted,
  dependents: readonly Dependent[],
  texts: DeletionTexts,
): Graph {
  const { uid, resource, name, path, holds } = deleted;
  const root: GraphNode = { id: uid, look: 'object', kind: resource, name, path };
  const finalizer = (of: string, text: string): GraphNode => ({
    id: JSON.stringify([of, text]),
    look: 'finalizer',
    kind: texts.finalizer,
    name: text,
  });
  const through = (text: string): GraphNode[] =>
    deleted.finalizers.includes(text) ? [root, finalizer(uid, text)] : [root];
  const namespace: GraphNode = {
    id: 'namespace',
    look: 'group',
    kind: texts.namespace,
    name: holds,
    path: pathIn('/api/v1', 'namespaces', '', holds),
  };
  const nodes = new Map(dependents.map((one) => [one.uid, nodeOf(one, texts)]));
  const above = ({ of, blocks }: Dependent): GraphNode[] => {
    if (of === '') return [...through(PROJECT_NAMESPACE), namespace];
    if (of === uid) return blocks ? through(FOREGROUND) : [root];
    const node = nodes.get(of);
    return node === undefined ? [root] : [node];
  };
  const chains: Chain[] = deleted.finalizers.map((text) => ({ nodes: [root, finalizer(uid, text)] }));
  for (const one of dependents) {
    const node = nodes.get(one.uid) ?? root;
    chains.push({ nodes: [...above(one), node], loose: !one.blocks });
    for (const text of one.finalizers) chains.push({ nodes: [node, finalizer(one.uid, text)] });
  }
  return graphOf([{ nodes: [root] }, ...chains]);
}

const nodeOf = ({ uid, resource, name, path, deleting }: Dependent, texts: DeletionTexts): GraphNode => ({
  id: uid,
  look: 'rule',
  kind: resource,
  name,
  path,
  ...(deleting && { note: texts.deleting }),
});
