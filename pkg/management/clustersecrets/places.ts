/** The locations of the namespaces of spaces and virtual clusters. */
import type { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import type { VirtualClusterInstance } from '../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { ownerOf, type Owner } from '../sharing/rights.js';

/** A space or a virtual cluster. */
export interface Instance {
  readonly key: string;
  readonly kind: 'SpaceInstance' | 'VirtualClusterInstance';
  /** The namespace of its project. */
  readonly namespace: string;
  readonly name: string;
  readonly owner: Owner;
  readonly labels: Readonly<Record<string, string>>;
  /** The API server with its Secrets. */
  readonly place: string;
  /** Its namespace there; undefined: all namespaces belong to it. */
  readonly inside: string | undefined;
  /** The name in messages. */
  readonly what: string;
}

/** Undefined: it has no location yet. */
export function instanceOf(object: SpaceInstance | VirtualClusterInstance): Instance | undefined {
  const { namespace = '', name = '', deletionTimestamp, labels = {} } = object.metadata;
  const { cluster = '', namespace: inside = '' } = object.spec?.clusterRef ?? {};
  if (cluster === '' || inside === '' || deletionTimestamp !== undefined) return undefined;
  const kind = object.kind === 'SpaceInstance' ? 'SpaceInstance' : 'VirtualClusterInstance';
  const what = `${kind} ${namespace}/${name}`;
  const of = {
    key: `${kind}/${namespace}/${name}`,
    kind,
    namespace,
    name,
    labels,
    owner: ownerOf(object),
    what,
  } as const;
  if (kind === 'SpaceInstance') return { ...of, place: `cluster/${cluster}`, inside };
  return { ...of, place: `virtualcluster/${namespace}/${name}`, inside: undefined };
}

const NONE: ReadonlyMap<string, Instance> = new Map();

export class Places {
  private readonly instances = new Map<string, Instance>();
  /** By place and namespace in it; `''`: all. */
  private readonly inside = new Map<string, Map<string, Map<string, Instance>>>();

  /** Returns the places that have changed. */
  set(key: string, instance: Instance | undefined): Set<string> {
    const before = this.instances.get(key);
    const changed = new Set<string>();
    if (before !== undefined) {
      this.at(before)?.delete(key);
      changed.add(before.place);
    }
    this.instances.delete(key);
    if (instance === undefined) return changed;
    this.instances.set(key, instance);
    const place = this.inside.get(instance.place) ?? new Map<string, Map<string, Instance>>();
    const there = place.get(instance.inside ?? '') ?? new Map<string, Instance>();
    this.inside.set(instance.place, place.set(instance.inside ?? '', there.set(key, instance)));
    return changed.add(instance.place);
  }

  get(key: string): Instance | undefined {
    return this.instances.get(key);
  }

  keys(): Iterable<string> {
    return [...this.instances.keys()];
  }

  /** The instances of a project, by the project's namespace. */
  *ofProject(namespace: string): Iterable<Instance> {
    for (const instance of this.instances.values()) if (instance.namespace === namespace) yield instance;
  }

  /** Whether the key is that of a place, with or without instances. */
  isPlace(key: string): boolean {
    return this.inside.has(key);
  }

  /** Whether the place has instances. Forgets places without any. */
  isUsed(place: string): boolean {
    const there = this.inside.get(place);
    for (const [namespace, instances] of there ?? []) if (instances.size === 0) there?.delete(namespace);
    if (there !== undefined && there.size === 0) this.inside.delete(place);
    return this.inside.has(place);
  }

  /** The namespaces of a place that belong to instances; `''` if all do. */
  namespacesAt(place: string): readonly string[] {
    return [...(this.inside.get(place) ?? [])].flatMap(([inside, { size }]) => (size > 0 ? inside : []));
  }

  /** The instances that a namespace of a place belongs to. */
  instancesAt(place: string, namespace: string): readonly Instance[] {
    const there = this.inside.get(place);
    return [...(there?.get(namespace) ?? NONE).values(), ...(there?.get('') ?? NONE).values()];
  }

  private at({ place, inside = '' }: Instance): Map<string, Instance> | undefined {
    return this.inside.get(place)?.get(inside);
  }
}
