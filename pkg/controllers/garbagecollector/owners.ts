/** What has become of the owners of an object (`k8s.io/kubernetes/pkg/controller/garbagecollector`). */
import { apiVersionOf } from '../../../api/resource.js';
import type { ObjectMeta, OwnerReference } from '../../../api/resource.js';
import type { CachedObject, Client, ResourceClient } from '../interface.js';
import { createAbsentOwners } from './absentowners.js';
import type { AbsentOwners } from './absentowners.js';
import { metadataOf } from '../metadata.js';
import { waitsForDependents } from './metadata.js';

/** The references of an object by what their owners are. */
export interface Classified {
  /** There, or of a kind that is not served here and so left alone. */
  readonly solid: readonly OwnerReference[];
  readonly absent: readonly OwnerReference[];
  /** Being deleted, waiting for their dependents. */
  readonly waiting: readonly OwnerReference[];
}

type State = keyof Classified;
/** Called with each owner that was found to be absent, about once. */
type OnAbsent = (namespace: string, reference: OwnerReference, resource: ResourceClient) => void;

export class Owners {
  readonly known: AbsentOwners = createAbsentOwners();
  private readonly byKind: ReadonlyMap<string, ResourceClient>;
  /** Of the owner looked at last, whose dependents often come together. Parsed as a whole it would stay in memory. */
  private latest: { readonly owner: CachedObject; readonly metadata: ObjectMeta } | undefined = undefined;
  /** Dependents of one owner come together and share what cannot become untrue: an owner that goes never comes back. */
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

  /** The kind that a reference names, or undefined when it is not served here. */
  resourceOf({ apiVersion, kind }: OwnerReference): ResourceClient | undefined {
    return this.byKind.get(`${apiVersion} ${kind}`);
  }

  /** Whether the caches show no reason to look closer: every owner is there, and none waits for its dependents. */
  allThere(namespace: string, references: readonly OwnerReference[]): boolean {
    return references.every((reference) => this.cachedState(namespace, reference) === 'solid');
  }

  /** By the store, not by the caches. */
  async classify(namespace: string, references: readonly OwnerReference[]): Promise<Classified> {
    const classified: Record<State, OwnerReference[]> = { solid: [], absent: [], waiting: [] };
    for (const reference of references) {
      classified[await this.liveState(namespace, reference)].push(reference);
    }
    return classified;
  }

  /** By the cache alone; `absent` is to be verified. */
  private cachedState(namespace: string, reference: OwnerReference): State {
    const resource = this.resourceOf(reference);
    if (resource === undefined) return 'solid';
    const owner = resource.cached(ownerNamespace(resource, namespace), reference.name);
    if (owner === undefined) return 'absent';
    const metadata = this.metadataOfOwner(owner);
    if (metadata.uid !== reference.uid) return 'absent';
    return waitsForDependents(metadata) ? 'waiting' : 'solid';
  }

  private metadataOfOwner(owner: CachedObject): ObjectMeta {
    if (this.latest?.owner !== owner) this.latest = { owner, metadata: metadataOf(owner) };
    return this.latest.metadata;
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
    const owner = await resource.live(ownerNamespace(resource, namespace), reference.name);
    if (owner?.metadata.uid === reference.uid)
      return waitsForDependents(owner.metadata) ? 'waiting' : 'solid';
    this.known.add(identity);
    this.onAbsent(namespace, reference, resource);
    return 'absent';
  }
}

/** Owners are looked for in the namespace of their dependents, and nowhere else. */
export function ownerNamespace({ definition }: ResourceClient, dependentNamespace: string): string {
  return definition.namespaced ? dependentNamespace : '';
}

/** The namespace in which an owner is that was looked for in another, undefined when it is nowhere. */
export function ownerNamespaceElsewhere(
  namespaces: ResourceClient,
  resource: ResourceClient,
  { name, uid }: OwnerReference,
): string | undefined {
  if (!resource.definition.namespaced) return undefined;
  for (const namespace of namespaces.list('')) {
    const found = resource.cached(namespace.name, name);
    if (found !== undefined && metadataOf(found).uid === uid) return namespace.name;
  }
  return undefined;
}
