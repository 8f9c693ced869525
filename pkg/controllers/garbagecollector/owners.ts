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

export interface Owners {
  readonly known: AbsentOwners;
  /** The kind that a reference names, or undefined when it is not served here. */
  resourceOf(reference: OwnerReference): ResourceClient | undefined;
  /** Whether the caches show no reason to look closer: every owner is there, and none waits for its dependents. */
  allThere(namespace: string, references: readonly OwnerReference[]): boolean;
  /** By the store, not by the caches. */
  classify(namespace: string, references: readonly OwnerReference[]): Promise<Classified>;
}

/** `absent` is told of each owner that was found to be absent, about once. */
export function createOwners(
  client: Client,
  absent: (namespace: string, reference: OwnerReference, resource: ResourceClient) => void,
): Owners {
  const byKind = new Map(
    client.resources.map((resource) => {
      const { definition } = resource;
      return [`${apiVersionOf(definition)} ${definition.kind}`, resource];
    }),
  );
  const known = createAbsentOwners();
  const resourceOf: Owners['resourceOf'] = ({ apiVersion, kind }) => byKind.get(`${apiVersion} ${kind}`);

  type State = keyof Classified;

  /** Of the owner looked at last, whose dependents often come together. Parsed as a whole it would stay in memory. */
  let latest: { readonly owner: CachedObject; readonly metadata: ObjectMeta } | undefined;

  function metadataOfOwner(owner: CachedObject): ObjectMeta {
    if (latest?.owner !== owner) latest = { owner, metadata: metadataOf(owner) };
    return latest.metadata;
  }

  /** By the cache alone; `absent` is to be verified. */
  function cachedState(namespace: string, reference: OwnerReference): State {
    const resource = resourceOf(reference);
    if (resource === undefined) return 'solid';
    const owner = resource.cached(ownerNamespace(resource, namespace), reference.name);
    if (owner === undefined) return 'absent';
    const metadata = metadataOfOwner(owner);
    if (metadata.uid !== reference.uid) return 'absent';
    return waitsForDependents(metadata) ? 'waiting' : 'solid';
  }

  /** Dependents of one owner come together and share what cannot become untrue: an owner that goes never comes back. */
  const asked = new Map<string, Promise<State>>();

  function liveState(namespace: string, reference: OwnerReference): State | Promise<State> {
    const resource = resourceOf(reference);
    if (resource === undefined) return 'solid';
    const { apiVersion, kind, name, uid } = reference;
    const identity = [namespace, apiVersion, kind, name, uid].join(' ');
    if (known.has(identity)) return 'absent';
    const pending = asked.get(identity);
    const anew = (): Promise<State> => ask(namespace, reference, resource, identity);
    if (pending !== undefined) return pending.then((state) => (state === 'solid' ? anew() : state));
    const answer = anew().finally(() => asked.delete(identity));
    asked.set(identity, answer);
    return answer;
  }

  async function ask(
    namespace: string,
    reference: OwnerReference,
    resource: ResourceClient,
    identity: string,
  ): Promise<State> {
    const owner = await resource.live(ownerNamespace(resource, namespace), reference.name);
    if (owner?.metadata.uid === reference.uid)
      return waitsForDependents(owner.metadata) ? 'waiting' : 'solid';
    known.add(identity);
    absent(namespace, reference, resource);
    return 'absent';
  }

  return {
    known,
    resourceOf,
    allThere: (namespace, references) =>
      references.every((reference) => cachedState(namespace, reference) === 'solid'),
    async classify(namespace, references) {
      const classified = { solid: [], absent: [], waiting: [] } as Record<State, OwnerReference[]>;
      for (const reference of references) {
        classified[await liveState(namespace, reference)].push(reference);
      }
      return classified;
    },
  };
}

/** Owners are looked for in the namespace of their dependents, and nowhere else. */
export function ownerNamespace({ definition }: ResourceClient, dependentNamespace: string): string {
  return definition.namespaced ? dependentNamespace : '';
}

/** The namespace in which an owner is that was looked for in another, undefined when it is nowhere. */
export function elsewhere(
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
