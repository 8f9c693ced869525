import type { User } from '../authentication/interface.js';
import type { Attributes, ResourceAttributes, Rules } from '../apimachinery/attributes.js';

export type { Attributes, ResourceAttributes, Rules } from '../apimachinery/attributes.js';

/** `reason`: for reviews. The reason of a denial is also sent to the client. */
export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason: string };

/** The objects of a kind that the user may act on: all, or those with certain names. */
export type Visible =
  | { readonly objects: 'all' }
  | { readonly objects: 'names'; readonly names: ReadonlySet<string> }
  | { readonly objects: 'none' };

/** Attributes without the name of an object. */
export type KindAttributes = Omit<ResourceAttributes, 'kind' | 'version' | 'name'>;

export interface Authorizer {
  /** `reason` may be empty; it is sent to the client. */
  authorize(user: User, attributes: Attributes): Decision | Promise<Decision>;
  /** The rules of the user in a namespace (`''`: at the cluster scope), for SelfSubjectRulesReview. */
  rulesFor(user: User, namespace: string): Rules | Promise<Rules>;
  /** The objects of a namespace (`''`: of all, or cluster-scoped ones) on which the user may do this. */
  visible(user: User, attributes: KindAttributes): Visible;
  /** Namespaces in which the user may see more than at the cluster scope; a superset. */
  namespaces(user: User): Iterable<string>;
}
