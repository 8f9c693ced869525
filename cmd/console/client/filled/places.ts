/** Spaces and virtual clusters, as places that have Secrets. */
import { directPath } from '../../../../api/management.svc.example/directpath.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { InstanceKind } from '../instances.js';
import { SPACE, VIRTUAL_CLUSTER } from '../instances.js';
import { pathOf, withQuery } from '../paths.js';
import { send } from '../request.js';
import { ApiError } from '../status.js';
import { projectOf } from '../useprefix.js';

/** So many of each kind are looked at. */
export const MAX_PLACES = 100;

export interface Place {
  readonly of: InstanceKind;
  /** Of its project, at the management API. */
  readonly namespace: string;
  readonly project: string;
  readonly name: string;
  readonly cluster: string;
  /** Of a space, in its cluster; `''`: all namespaces of a virtual cluster. */
  readonly inside: string;
  /** What the server says of the filled Secrets in it; `''` where it has none. */
  readonly summary: string;
}

interface InstanceList {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly VirtualClusterInstance[];
}

export interface Places {
  readonly places: readonly Place[];
  /** Whether there are more than are looked at. */
  readonly more: boolean;
}

/**
 * Those that the person sees and that are in a cluster. `prefix`: what the names of the namespaces of projects begin with.
 * Rejects with ApiError.
 */
export async function readPlaces(prefix: string, signal: AbortSignal): Promise<Places> {
  const lists = await Promise.all([SPACE, VIRTUAL_CLUSTER].map((of) => placesOfKind(of, prefix, signal)));
  return { places: lists.flatMap(({ places }) => places), more: lists.some(({ more }) => more) };
}

async function placesOfKind(of: InstanceKind, prefix: string, signal: AbortSignal): Promise<Places> {
  const path = withQuery(pathOf(of.resource), { limit: String(MAX_PLACES) });
  const list = await send<InstanceList>('GET', path, { signal }).catch((error: unknown): InstanceList => {
    // Whoever may see none is refused the list.
    if (error instanceof ApiError && error.code === 403) return { items: [] };
    throw error;
  });
  return {
    places: list.items.flatMap((object) => placeOf(of, object, prefix) ?? []),
    more: (list.metadata?.continue ?? '') !== '',
  };
}

/** Undefined: no Secret can be in it. */
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

/** The Secrets of a place that a selector selects, at the management API: its agent passes the request on. */
export function secretsPath({ of, project, name, inside }: Place, selector: string, limit: number): string {
  const step = of === SPACE ? 'space' : 'virtualcluster';
  const within = inside === '' ? '' : `/namespaces/${encodeURIComponent(inside)}`;
  return withQuery(`${directPath(project, step, name)}/api/v1${within}/secrets`, {
    labelSelector: selector,
    limit: String(limit),
  });
}

/** These places and no others. */
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
