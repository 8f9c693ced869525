/**
 * How a kind declares itself. One TypeBox schema gives its TypeScript type, validation, defaults, pruning and
 * OpenAPI. Clients import these files; they import nothing from pkg/.
 */
import type { Static, TObject } from 'typebox';

/** Which object of a kind. `namespace` is `''` for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** The object of a cluster-scoped kind. */
export const clusterScoped = (name: string): ObjectKey => ({ namespace: '', name });

/** The naming rule of a kind (`k8s.io/apimachinery/pkg/api/validation`). */
export type NameRule = 'subdomain' | 'label' | 'path';

export interface Subresource {
  /** Last step of the path: `status`. */
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of the subresource, if it is another one. */
  readonly object?: ResourceDefinition;
}

export interface ResourceDefinition<S extends TObject = TObject, K extends string = string> {
  /** `''` is the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: K;
  /** Last step of collection paths: `sharedsecrets`. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** Whether PUT without resourceVersion overwrites (`AllowUnconditionalUpdate`). */
  readonly unconditionalUpdate: boolean;
  /** Whether PUT creates an object that does not exist (`AllowCreateOnUpdate`). */
  readonly createOnUpdate: boolean;
  /**
   * A built-in kind of Kubernetes: list items have neither kind nor apiVersion, metadata may be changed through
   * `/status`, finalizers must be qualified.
   */
  readonly builtIn: boolean;
  /** Selectable fields in addition to metadata.name and metadata.namespace: `status.phase`, `spec.user`. */
  readonly selectableFields: readonly string[];
  /**
   * For a selectable field that is not a member itself: the members to read it from; the first that is not empty is
   * used.
   */
  readonly selectedMembers: Readonly<Record<string, readonly string[]>>;
  readonly subresources: readonly Subresource[];
  /**
   * Subresources that only name a right (`quotas`: `projects/quotas`). Neither ownership of an object nor `*` in its
   * access rules includes them.
   */
  readonly reservedSubresources: readonly string[];
  readonly verbs: readonly string[];
  /** One paragraph that `kubectl explain` shows. */
  readonly description: string;
  /** Everything but kind, apiVersion and metadata: properties `spec`, `status`, `data`, … */
  readonly schema: S;
}

/**
 * The objects of a kind, with its name as a literal type. Narrow an object of an unknown kind by {@link isKind}.
 */
export type ObjectOf<D> =
  D extends ResourceDefinition<infer S, infer K>
    ? string extends K
      ? KubeObject
      : KubeObject & { kind: K } & Static<S>
    : never;

/** Whether JSON has what every object of the API has: kind, apiVersion and metadata. Their members are not looked at. */
export function isKubeObject(value: unknown): value is KubeObject {
  if (typeof value !== 'object' || value === null) return false;
  if (!('kind' in value && 'apiVersion' in value && 'metadata' in value)) return false;
  const { kind, apiVersion, metadata } = value;
  return (
    typeof kind === 'string' &&
    typeof apiVersion === 'string' &&
    typeof metadata === 'object' &&
    metadata !== null
  );
}

/** Whether it is an object of this kind. */
export function isKind<D extends Pick<ResourceDefinition, 'group' | 'version' | 'kind'>>(
  definition: D,
  object: KubeObject,
): object is KubeObject & ObjectOf<D> {
  return object.kind === definition.kind && object.apiVersion === apiVersionOf(definition);
}

/**
 * The same object, as one of this kind. RangeError where it is of another: whoever decides by its members must not take those
 * of another kind for them.
 */
export function asKind<D extends ResourceDefinition>(
  definition: D,
  object: KubeObject,
): KubeObject & ObjectOf<D>;
export function asKind<D extends ResourceDefinition>(
  definition: D,
  object: KubeObject | undefined,
): (KubeObject & ObjectOf<D>) | undefined;
export function asKind<D extends ResourceDefinition>(
  definition: D,
  object: KubeObject | undefined,
): (KubeObject & ObjectOf<D>) | undefined {
  if (object === undefined || isKind(definition, object)) return object;
  throw new RangeError(`an object of the kind ${object.kind} where one of ${definition.kind} is expected`);
}

/** metadata of an object as served (Kubernetes `ObjectMeta`). Times are RFC 3339. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  /** A decimal revision; never stored, spliced in by the cache. */
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: unknown;
  subresource?: string;
}

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonValue[]
  | { [member: string]: JsonValue };

/** Any object of the API. A kind adds members of its own. */
export interface KubeObject {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  [member: string]: unknown;
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

type Optional =
  | 'shortNames'
  | 'categories'
  | 'selectableFields'
  | 'selectedMembers'
  | 'subresources'
  | 'reservedSubresources'
  | 'verbs'
  | 'nameRule'
  | 'unconditionalUpdate'
  | 'createOnUpdate'
  | 'builtIn'
  | 'singular';

/** Declares a kind. `singular` defaults to the kind in lower case. */
export function defineResource<S extends TObject, const K extends string>(
  declared: Omit<ResourceDefinition<S, K>, Optional> & Partial<Pick<ResourceDefinition<S, K>, Optional>>,
): ResourceDefinition<S, K> {
  return {
    singular: declared.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    selectableFields: [],
    selectedMembers: {},
    subresources: [],
    reservedSubresources: ['finalizers'],
    verbs: ALL_VERBS,
    nameRule: 'subdomain',
    unconditionalUpdate: false,
    createOnUpdate: false,
    builtIn: false,
    ...declared,
  };
}

/** `v1`, or `group/version`. */
export function apiVersionOf(definition: Pick<ResourceDefinition, 'group' | 'version'>): string {
  return definition.group === '' ? definition.version : `${definition.group}/${definition.version}`;
}
