/**
 * How a kind declares itself. One TypeBox schema gives its TypeScript type, validation, defaults, pruning and
 * OpenAPI. Clients import these files; they import nothing from pkg/.
 */
import type { Static, TObject } from 'typebox';

/** Which rule a kind's names follow (`wire-contract` of Kubernetes: `k8s.io/apimachinery/pkg/api/validation`). */
export type NameRule = 'subdomain' | 'label' | 'path';

export interface Subresource {
  /** Last step of the path: `status`. */
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of what is read and written there, where it is another. */
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
  /** Whether PUT creates what is not there (`AllowCreateOnUpdate`). */
  readonly createOnUpdate: boolean;
  /**
   * Kinds of Kubernetes itself: list items carry neither kind nor apiVersion, metadata may change through
   * `/status`, finalizers must be qualified.
   */
  readonly builtIn: boolean;
  /** What field selectors may name beside metadata.name and metadata.namespace: `status.phase`, `spec.user`. */
  readonly selectableFields: readonly string[];
  /** The members that such a field stands for, where it is none itself: the first that is not empty. */
  readonly selectedMembers: Readonly<Record<string, readonly string[]>>;
  readonly subresources: readonly Subresource[];
  /**
   * Rights of their own, written as subresources (`quotas`: `projects/quotas`): neither owning an object gives them, nor
   * `*` in its access rules.
   */
  readonly reservedSubresources: readonly string[];
  readonly verbs: readonly string[];
  /** What the kind is for: one paragraph, shown by `kubectl explain`. */
  readonly description: string;
  /** Everything but kind, apiVersion and metadata: properties `spec`, `status`, `data`, … */
  readonly schema: S;
}

/**
 * The objects of a kind. Their `kind` is that one text: an object that may be of any kind is none of these, and becomes one
 * by {@link isKind}, or where it is read as what it is stored as.
 */
export type ObjectOf<D> =
  D extends ResourceDefinition<infer S, infer K>
    ? string extends K
      ? KubeObject
      : KubeObject & { kind: K } & Static<S>
    : never;

/** Whether it is an object of this kind. */
export function isKind<D extends Pick<ResourceDefinition, 'group' | 'version' | 'kind'>>(
  definition: D,
  object: KubeObject,
): object is KubeObject & ObjectOf<D> {
  return object.kind === definition.kind && object.apiVersion === apiVersionOf(definition);
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

export type JsonValue = null | boolean | number | string | JsonValue[] | { [member: string]: JsonValue };

/** Any object of the API. Members beside these three are the kind's own. */
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

/** Declares a kind. `singular` is the kind in lower case; the other optional members default to the usual. */
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
