/** What authorizers decide by, and the rules that they tell. */
import type { ResourceDefinition } from '../../api/resource.js';

/** The attributes of a request (`k8s.io/apiserver/pkg/authorization/authorizer.Attributes`). */
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
  /** The selectors of the request; absent: none. They only narrow it, so an authorizer may ignore them. */
  readonly fieldSelector?: SelectorAttributes;
  readonly labelSelector?: SelectorAttributes;
}

/** Where an object is: empty members are left out. */
interface ObjectPlace {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** A request for an object of a kind, without selectors. */
export const requestFor = (
  verb: string,
  { group, version, plural: resource }: Pick<ResourceDefinition, 'group' | 'version' | 'plural'>,
  { namespace = '', name = '', subresource = '' }: ObjectPlace,
): ResourceAttributes => ({ kind: 'resource', verb, group, version, resource, subresource, namespace, name });

/** Whom the verb `impersonate` is on. */
export const IMPERSONATED_USERS = { group: '', version: 'v1', plural: 'users' };

/** As `authorization.k8s.io/v1` has it: one of the two. */
interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly SelectorRequirement[];
}

export interface SelectorRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

interface PathAttributes {
  readonly kind: 'path';
  /** HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

/** `authorization.k8s.io/v1 SubjectRulesReviewStatus`. `*` stands for all. */
export interface Rules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly PathRule[];
  /** Whether rules may be missing (`status.incomplete`). */
  readonly incomplete: boolean;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: any. */
  readonly resourceNames: readonly string[];
}

interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}
