/** Prints the graph. */
import { apiVersionOf } from '../../../api/resource.js';
import type { Dependent, Graph } from './graph.js';

/**
 * Returns chunks, as it may be large. JSON: `{"nodes":[…]}`; an owner that is no dependent itself appears
 * only in references.
 */
export function* describeGraph(graph: Graph, format: 'json' | 'dot'): Iterable<string> {
  const isJson = format === 'json';
  yield isJson ? '{"nodes":[' : 'digraph owners {\n';
  let separator = '';
  for (const dependent of graph.dependents()) {
    yield isJson ? separator + jsonNode(graph, dependent) : dotNode(dependent);
    separator = ',\n';
  }
  yield isJson ? ']}\n' : '}\n';
}

function jsonNode(graph: Graph, { uid, resource, namespace, name, owners }: Dependent): string {
  const { definition } = resource;
  const owned = graph.owner(uid);
  return JSON.stringify({
    uid,
    apiVersion: apiVersionOf(definition),
    kind: definition.kind,
    ...(namespace !== '' && { namespace }),
    name,
    owners: owners.map((owner) => ({ ...owner, seen: graph.dependent(owner.uid) !== undefined })),
    dependents: owned?.dependents.size ?? 0,
    blocking: owned?.blocking ?? 0,
  });
}

function dotNode({ uid, resource, namespace, name, owners }: Dependent): string {
  const label = `${resource.definition.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  const lines = [`  ${JSON.stringify(uid)} [label=${JSON.stringify(label)}];\n`];
  for (const owner of owners) {
    lines.push(`  ${JSON.stringify(owner.uid)} [label=${JSON.stringify(`${owner.kind} ${owner.name}`)}];\n`);
    lines.push(`  ${JSON.stringify(uid)} -> ${JSON.stringify(owner.uid)};\n`);
  }
  return lines.join('');
}
