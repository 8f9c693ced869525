import type { User } from '../authentication/interface.js';

/** What a request wants to do (`k8s.io/apiserver/pkg/authorization/authorizer.Attributes`). */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly kind: 'resource';
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, … */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  /** `''` for the object itself. */
  readonly subresource: string;
  /** `''` where the request has none. */
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly kind: 'path';
  /** HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

/** `reason`: for reviews; a refusal's is shown to the client. */
export type Decision =
  { readonly allowed: true; readonly reason?: string } | { readonly allowed: false; readonly reason: string };

/** `authorization.k8s.io/v1 SubjectRulesReviewStatus`. `*` stands for all. */
export interface Rules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly PathRule[];
  /** Whether there may be rules that cannot be told. */
  readonly incomplete: boolean;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: any. */
  readonly resourceNames: readonly string[];
}

export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Of a kind's objects those that the user may act on: where only names are told, lists show these alone. */
export type Visible =
  | { readonly objects: 'all' }
  | { readonly objects: 'names'; readonly names: ReadonlySet<string> }
  | { readonly objects: 'none' };

/** Without the name of an object. */
export type KindAttributes = Omit<ResourceAttributes, 'kind' | 'version' | 'name'>;

export interface Authorizer {
  /** `reason` may be empty; it is shown to the client. */
  authorize(user: User, attributes: Attributes): Decision | Promise<Decision>;
  /** All that the user may do in a namespace (`''`: at the cluster scope), as SelfSubjectRulesReview tells it. */
  rulesFor(user: User, namespace: string): Rules | Promise<Rules>;
  /** On which objects of a namespace (`''`: of all, or cluster-scoped ones) the user may do this. */
  visible(user: User, attributes: KindAttributes): Visible | Promise<Visible>;
}
