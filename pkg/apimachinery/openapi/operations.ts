/** The operations of a kind by path, independent of the OpenAPI version. */
import type { ResourceDefinition, Subresource } from '../../../api/resource.js';
import { capital, groupVersionPath, groupVersionWord } from './names.js';
import {
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  NAMESPACE,
  nameParameter,
  PATCH_PARAMETERS,
  PRETTY,
  WRITE_PARAMETERS,
  type Parameter,
} from './parameters.js';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** The schema of a body: the kind itself, its list, or one of the shared components. */
export type Payload = 'object' | 'list' | 'status' | 'watchEvent' | 'patch' | 'deleteOptions';

export interface Operation {
  readonly method: Method;
  /** `x-kubernetes-action`. */
  readonly action: string;
  /** Unique in a document: `listCoreV1NamespacedConfigMap`. */
  readonly id: string;
  readonly description: string;
  /** Query parameters, in addition to those of the path. */
  readonly parameters: readonly Parameter[];
  /** The kind of `object`, if it is not that of the path. */
  readonly object?: ResourceDefinition;
  readonly body?: Payload;
  /** Payload by status code. */
  readonly answers: Readonly<Record<string, Payload>>;
}

export interface PathOperations {
  /** `/apis/<group>/<version>/namespaces/{namespace}/<plural>/{name}`. */
  readonly path: string;
  /** Parameters of every operation: those in the path, and `pretty`. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

/** All paths of a kind with operations. */
export function pathsOf(definition: ResourceDefinition): PathOperations[] {
  const { plural, kind, namespaced } = definition;
  const root = `/${groupVersionPath(definition)}`;
  const scoped = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const place = namespaced ? [NAMESPACE] : [];
  const item = [nameParameter(kind), ...place];
  const paths = [
    entry(scoped, place, collectionOperations(definition)),
    entry(`${scoped}/{name}`, item, itemOperations(definition)),
    ...definition.subresources.map((each) => {
      return entry(`${scoped}/{name}/${each.name}`, item, subresourceOperations(definition, each));
    }),
  ];
  if (namespaced) paths.push(entry(`${root}/${plural}`, [], clusterWideOperations(definition)));
  return paths.filter(({ operations }) => operations.length > 0);
}

function entry(
  path: string,
  parameters: readonly Parameter[],
  operations: readonly Operation[],
): PathOperations {
  return { path, parameters: [...parameters, PRETTY], operations };
}

/** `CoreV1` + `NamespacedConfigMap`, with a word before the scope where there is one. */
function idOf(action: string, definition: ResourceDefinition, middle = '', suffix = ''): string {
  const scope = definition.namespaced && suffix !== 'ForAllNamespaces' ? 'Namespaced' : '';
  return `${action}${groupVersionWord(definition)}${middle}${scope}${definition.kind}${suffix}`;
}

const OBJECT = { '200': 'object' } as const;
/** In Kubernetes' order. */
const CREATED = { '200': 'object', '201': 'object', '202': 'object' } as const;
const WRITTEN = { '200': 'object', '201': 'object' } as const;

function collectionOperations(definition: ResourceDefinition): Operation[] {
  const { kind } = definition;
  const operations: Record<string, Operation> = {
    list: {
      method: 'get',
      action: 'list',
      id: idOf('list', definition),
      description: `list or watch objects of kind ${kind}`,
      parameters: LIST_PARAMETERS,
      answers: { '200': 'list' },
    },
    create: {
      method: 'post',
      action: 'post',
      id: idOf('create', definition),
      description: `create a ${kind}`,
      parameters: WRITE_PARAMETERS,
      body: 'object',
      answers: CREATED,
    },
    deletecollection: {
      method: 'delete',
      action: 'deletecollection',
      id: idOf('delete', definition, 'Collection'),
      description: `delete collection of ${kind}`,
      parameters: DELETE_COLLECTION_PARAMETERS,
      body: 'deleteOptions',
      answers: { '200': 'status' },
    },
  };
  return pick(operations, definition.verbs);
}

function itemOperations(definition: ResourceDefinition): Operation[] {
  const deletion: Operation = {
    method: 'delete',
    action: 'delete',
    id: idOf('delete', definition),
    description: `delete a ${definition.kind}`,
    parameters: DELETE_PARAMETERS,
    body: 'deleteOptions',
    answers: { '200': 'status', '202': 'status' },
  };
  const operations = pick({ ...objectOperations(definition, ''), delete: deletion }, definition.verbs);
  const { verbs } = definition;
  if (!verbs.includes('create') || verbs.includes('patch')) return operations;
  return [...operations, refusedPatch(definition, operations.length > 0 ? '405' : '404')];
}

/**
 * PATCH of a kind without updates. kubectl looks at the PATCH of a kind to find whether the server validates fields.
 * Without one it lists CustomResourceDefinitions, which most users may not do, and refuses to create.
 * @param code 404 if no object can be read at the path
 */
function refusedPatch(definition: ResourceDefinition, code: '404' | '405'): Operation {
  return {
    method: 'patch',
    action: 'patch',
    id: idOf('patch', definition),
    description: `not supported: a ${definition.kind} is created and never changed`,
    parameters: PATCH_PARAMETERS,
    answers: { [code]: 'status' },
  };
}

/** The action on an object or, with a suffix, on one of its subresources. */
function objectOperations(definition: ResourceDefinition, subresource: string): Record<string, Operation> {
  const suffix = subresource.split('-').map(capital).join('');
  const which = `${subresource === '' ? '' : `${subresource} of `}the specified ${definition.kind}`;
  return {
    get: {
      method: 'get',
      action: 'get',
      id: idOf('read', definition, '', suffix),
      description: `read ${which}`,
      parameters: [],
      answers: OBJECT,
    },
    update: {
      method: 'put',
      action: 'put',
      id: idOf('replace', definition, '', suffix),
      description: `replace ${which}`,
      parameters: WRITE_PARAMETERS,
      body: 'object',
      answers: WRITTEN,
    },
    patch: {
      method: 'patch',
      action: 'patch',
      id: idOf('patch', definition, '', suffix),
      description: `partially update ${which}`,
      parameters: PATCH_PARAMETERS,
      body: 'patch',
      answers: WRITTEN,
    },
  };
}

function subresourceOperations(
  definition: ResourceDefinition,
  { name: subresource, verbs, object }: Subresource,
): Operation[] {
  const create: Operation = {
    method: 'post',
    action: 'post',
    id: idOf('create', definition, '', subresource.split('-').map(capital).join('')),
    description: `create ${subresource} of a ${definition.kind}`,
    parameters: WRITE_PARAMETERS,
    body: 'object',
    answers: CREATED,
  };
  const operations = pick({ ...objectOperations(definition, subresource), create }, verbs);
  return object === undefined ? operations : operations.map((operation) => ({ ...operation, object }));
}

function clusterWideOperations(definition: ResourceDefinition): Operation[] {
  const list: Operation = {
    method: 'get',
    action: 'list',
    id: idOf('list', definition, '', 'ForAllNamespaces'),
    description: `list or watch objects of kind ${definition.kind}`,
    parameters: LIST_PARAMETERS,
    answers: { '200': 'list' },
  };
  return pick({ list }, definition.verbs);
}

function pick(operations: Readonly<Record<string, Operation>>, verbs: readonly string[]): Operation[] {
  return Object.entries(operations).flatMap(([verb, operation]) => (verbs.includes(verb) ? [operation] : []));
}
