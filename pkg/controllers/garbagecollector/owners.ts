/** The state of an object's owners (`k8s.io/kubernetes/pkg/controller/garbagecollector`). */
import { apiVersionOf, type OwnerReference } from '../../../api/resource.js';
import type { Client, ResourceClient } from '../interface.js';
import { metadataOf } from '../metadata.js';
import { hasUid, isDeleted, waitsForDependents } from './metadata.js';

/** The references of an object by the state of their owners. */
export interface Classified {
  /** They exist, or are of a kind that is not served here and is therefore left alone. */
  readonly solid: readonly OwnerReference[];
  readonly absent: readonly OwnerReference[];
  /** They are being deleted and wait for their dependents. */
  readonly waiting: readonly OwnerReference[];
}

type State = keyof Classified;
/** Called about once with each absent owner. */
type OnAbsent = (namespace: string, reference: OwnerReference, resource: ResourceClient) => void;

export class Owners {
  readonly known: AbsentOwners = createAbsentOwners();
  private readonly byKind: ReadonlyMap<string, ResourceClient>;
  /** Requests for one owner are shared, as its absence never changes. */
  private readonly asked = new Map<string, Promise<State>>();

  constructor(
    client: Client,
    private readonly onAbsent: OnAbsent,
  ) {
    this.byKind = new Map(
      client.resources.map((resource) => {
        const { definition } = resource;
        return [`${apiVersionOf(definition)} ${definition.kind}`, resource];
      }),
    );
  }

  /** The kind in a reference; undefined: it is not served here. */
  resourceOf({ apiVersion, kind }: OwnerReference): ResourceClient | undefined {
    return this.byKind.get(`${apiVersion} ${kind}`);
  }

  /** Whether, by the caches, every owner exists and none waits for its dependents. */
  allThere(namespace: string, references: readonly OwnerReference[]): boolean {
    return references.every((reference) => this.cachedState(namespace, reference) === 'solid');
  }

  /** Reads the store instead of the caches. */
  async classify(namespace: string, references: readonly OwnerReference[]): Promise<Classified> {
    const classified: Record<State, OwnerReference[]> = { solid: [], absent: [], waiting: [] };
    for (const reference of references) {
      classified[await this.liveState(namespace, reference)].push(reference);
    }
    return classified;
  }

  /** Reads only the cache; `absent` must be verified. */
  private cachedState(namespace: string, reference: OwnerReference): State {
    const resource = this.resourceOf(reference);
    if (resource === undefined) return 'solid';
    const owner = resource.cached({ namespace: ownerNamespace(resource, namespace), name: reference.name });
    if (owner === undefined || !hasUid(owner, reference.uid)) return 'absent';
    return isDeleted(owner) && waitsForDependents(metadataOf(owner)) ? 'waiting' : 'solid';
  }

  private liveState(namespace: string, reference: OwnerReference): State | Promise<State> {
    const resource = this.resourceOf(reference);
    if (resource === undefined) return 'solid';
    const { apiVersion, kind, name, uid } = reference;
    const identity = [namespace, apiVersion, kind, name, uid].join(' ');
    if (this.known.has(identity)) return 'absent';
    const pending = this.asked.get(identity);
    const anew = (): Promise<State> => this.ask(namespace, reference, resource, identity);
    if (pending !== undefined) return pending.then((state) => (state === 'solid' ? anew() : state));
    const answer = anew().finally(() => this.asked.delete(identity));
    this.asked.set(identity, answer);
    return answer;
  }

  private async ask(
    namespace: string,
    reference: OwnerReference,
    resource: ResourceClient,
    identity: string,
  ): Promise<State> {
    const owner = await resource.live({
      namespace: ownerNamespace(resource, namespace),
      name: reference.name,
    });
    if (owner?.metadata.uid === reference.uid)
      return waitsForDependents(owner.metadata) ? 'waiting' : 'solid';
    this.known.add(identity);
    this.onAbsent(namespace, reference, resource);
    return 'absent';
  }
}

/** Owners are looked for only in the namespace of their dependents. */
export function ownerNamespace({ definition }: ResourceClient, dependentNamespace: string): string {
  return definition.namespaced ? dependentNamespace : '';
}

/** The namespace of an owner that was looked for in another; undefined: it is nowhere. */
export function ownerNamespaceElsewhere(
  namespaces: ResourceClient,
  resource: ResourceClient,
  { name, uid }: OwnerReference,
): string | undefined {
  if (!resource.definition.namespaced) return undefined;
  for (const namespace of namespaces.list('')) {
    const found = resource.cached({ namespace: namespace.name, name });
    if (found !== undefined && metadataOf(found).uid === uid) return namespace.name;
  }
  return undefined;
}

/** Remembers deleted owners: a uid is never reused. */
interface AbsentOwners {
  readonly size: number;
  has(identity: string): boolean;
  add(identity: string): void;
}

const MAX = 10_000;

/** Keeps the last `most` that were requested or added. */
export function createAbsentOwners(most = MAX): AbsentOwners {
  const known = new Set<string>();
  const keep = (identity: string): void => {
    known.delete(identity);
    known.add(identity);
    if (known.size <= most) return;
    const [oldest] = known;
    if (oldest !== undefined) known.delete(oldest);
  };
  return {
    get size() {
      return known.size;
    },
    has(identity) {
      if (!known.has(identity)) return false;
      keep(identity);
      return true;
    },
    add: keep,
  };
}
