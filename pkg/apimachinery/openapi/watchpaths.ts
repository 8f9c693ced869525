/** The `/watch/` paths of a kind, which Kubernetes deprecates in favour of lists with `watch=true`. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { groupVersionPath, groupVersionWord } from './names.js';
import type { Operation, PathOperations } from './operations.js';
import { LIST_PARAMETERS, NAMESPACE, nameParameter, PRETTY, type Parameter } from './parameters.js';

/** Empty for kinds that cannot be watched. */
export function watchPathsOf(definition: ResourceDefinition): PathOperations[] {
  const { plural, kind, namespaced, verbs } = definition;
  if (!verbs.includes('watch')) return [];
  const root = `/${groupVersionPath(definition)}/watch`;
  const scope = namespaced ? `Namespaced${kind}` : kind;
  const scoped = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const place = namespaced ? [NAMESPACE] : [];
  const paths = [
    watchPath(definition, scoped, place, 'watchlist', `${scope}List`),
    watchPath(definition, `${scoped}/{name}`, [nameParameter(kind), ...place], 'watch', scope),
  ];
  if (!namespaced) return paths;
  return [
    ...paths,
    watchPath(definition, `${root}/${plural}`, [], 'watchlist', `${kind}ListForAllNamespaces`),
  ];
}

function watchPath(
  definition: ResourceDefinition,
  path: string,
  place: readonly Parameter[],
  action: 'watch' | 'watchlist',
  what: string,
): PathOperations {
  const one = action === 'watch';
  const operation: Operation = {
    method: 'get',
    action,
    id: `watch${groupVersionWord(definition)}${what}`,
    description: one
      ? `watch changes to an object of kind ${definition.kind}. deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.`
      : `watch individual changes to a list of ${definition.kind}. deprecated: use the 'watch' parameter with a list operation instead.`,
    parameters: [],
    answers: { '200': 'watchEvent' },
  };
  return { path, parameters: [...place, PRETTY, ...LIST_PARAMETERS], operations: [operation] };
}
