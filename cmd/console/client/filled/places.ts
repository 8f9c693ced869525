/** Spaces and virtual clusters in which Secrets may be filled. */
import { directPath } from '../../../../api/management.svc.example/directpath.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { SPACE, VIRTUAL_CLUSTER, type InstanceKind } from '../instances.js';
import { pathOf, withQuery } from '../paths.js';
import { send } from '../request.js';
import { ApiError } from '../status.js';
import { projectOf } from '../useprefix.js';

/** The maximum number of instances of each kind that are searched. */
const MAX_PLACES = 100;

export interface Place {
  readonly of: InstanceKind;
  /** The namespace of its project in the management API. */
  readonly namespace: string;
  readonly project: string;
  readonly name: string;
  readonly cluster: string;
  /** The namespace of a space in its cluster; `''`: all namespaces of a virtual cluster. */
  readonly inside: string;
  /** What the server reports about the Secrets that are filled in it; `''` if there are none. */
  readonly summary: string;
}

interface InstanceList {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly VirtualClusterInstance[];
}

export interface Places {
  readonly places: readonly Place[];
  /** Whether there are more instances than the maximum. */
  readonly more: boolean;
}

/**
 * The instances that the user can see and that have a cluster. `prefix`: the prefix of the namespaces of projects.
 * Rejects with ApiError.
 */
export async function readPlaces(prefix: string, signal: AbortSignal): Promise<Places> {
  const lists = await Promise.all([SPACE, VIRTUAL_CLUSTER].map((of) => placesOfKind(of, prefix, signal)));
  return { places: lists.flatMap(({ places }) => places), more: lists.some(({ more }) => more) };
}

async function placesOfKind(of: InstanceKind, prefix: string, signal: AbortSignal): Promise<Places> {
  const path = withQuery(pathOf(of.resource), { limit: String(MAX_PLACES) });
  const list = await send<InstanceList>('GET', path, { signal }).catch((error: unknown): InstanceList => {
    // A user who may see no instance is refused the list.
    if (error instanceof ApiError && error.code === 403) return { items: [] };
    throw error;
  });
  return {
    places: list.items.flatMap((object) => placeOf(of, object, prefix) ?? []),
    more: (list.metadata?.continue ?? '') !== '',
  };
}

/** Undefined: the instance can contain no Secret. */
export function placeOf(
  of: InstanceKind,
  { metadata, spec = {}, status = {} }: VirtualClusterInstance,
  prefix: string,
): Place | undefined {
  const { namespace = '', name = '', deletionTimestamp } = metadata;
  const { cluster = '', namespace: inside = '' } = spec.clusterRef ?? {};
  const project = projectOf(namespace, prefix);
  const isPlaced = project !== '' && cluster !== '' && inside !== '';
  if (!isPlaced || deletionTimestamp !== undefined) return undefined;
  const condition = status.conditions?.find(({ type }) => type === 'SecretsSynced');
  const summary = condition?.reason === 'NoSecrets' ? '' : (condition?.message ?? '');
  return { of, namespace, project, name, cluster, inside: of === SPACE ? inside : '', summary };
}

/**
 * The path, at the management API, of the Secrets that a selector selects: the agent of the cluster forwards the
 * request.
 */
export function secretsPath({ of, project, name, inside }: Place, selector: string, limit: number): string {
  const step = of === SPACE ? 'space' : 'virtualcluster';
  const within = inside === '' ? '' : `/namespaces/${encodeURIComponent(inside)}`;
  return withQuery(`${directPath(project, step, name)}/api/v1${within}/secrets`, {
    labelSelector: selector,
    limit: String(limit),
  });
}

/** A scope of these instances only. */
export function scopeOf(places: readonly Place[]): Scope {
  const spaces = places.filter(({ of }) => of === SPACE);
  const virtualClusters = places.filter(({ of }) => of === VIRTUAL_CLUSTER);
  return {
    ...(spaces.length > 0 && { spaces: spaces.map(({ project, name }) => ({ project, space: name })) }),
    ...(virtualClusters.length > 0 && {
      virtualClusters: virtualClusters.map(({ project, name }) => ({ project, virtualCluster: name })),
    }),
  };
}
