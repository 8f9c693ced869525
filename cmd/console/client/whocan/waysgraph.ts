/** The ways to a right as a graph: subjects on the left, the object on the right. */
import { graphOf, type Graph, type GraphNode, type Look } from '../../graph/graph.js';
import type { Step, StepKind, Way } from './ways.js';

const LOOKS: Readonly<Record<StepKind, Look>> = {
  user: 'person',
  serviceAccount: 'person',
  team: 'group',
  teamKey: 'person',
  group: 'group',
  everyone: 'group',
  owner: 'rule',
  accessRule: 'rule',
  membership: 'rule',
  itself: 'rule',
  roleBinding: 'rule',
  clusterRoleBinding: 'rule',
  role: 'role',
  clusterRole: 'role',
};

export interface AskedObject {
  readonly resource: string;
  readonly name: string;
  readonly path: string;
}

/** `kinds`: the labels of steps. */
export function waysGraph(
  ways: readonly Way[],
  { resource, name, path }: AskedObject,
  kinds: Readonly<Record<StepKind, string>>,
): Graph {
  const object: GraphNode = { id: 'object', look: 'object', kind: resource, name, path };
  const chains = ways.map(({ steps, unsure }) => ({
    nodes: [...steps.map((step) => nodeOf(step, kinds)), object],
    loose: unsure,
  }));
  return graphOf([{ nodes: [object] }, ...chains]);
}

function nodeOf({ kind, name, path, verbs }: Step, kinds: Readonly<Record<StepKind, string>>): GraphNode {
  return {
    id: JSON.stringify([kind, path, name, verbs]),
    look: LOOKS[kind],
    // The step `everyone` has only a label, and no name.
    ...(name === '' ? { kind: '', name: kinds[kind] } : { kind: kinds[kind], name }),
    ...(verbs !== undefined && { note: verbs.join(', ') }),
    ...(path !== '' && { path }),
  };
}
