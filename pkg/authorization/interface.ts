import type { User } from '../authentication/interface.js';
import type {
  ResourceAttributes,
  ReviewedAttributes as Attributes,
  ReviewedRules as Rules,
} from '../registry/virtualresource.js';

export type {
  PathAttributes,
  PathRule,
  ResourceAttributes,
  ResourceRule,
  ReviewedAttributes as Attributes,
  ReviewedRules as Rules,
} from '../registry/virtualresource.js';

/** `reason`: for reviews; a refusal's is shown to the client. */
export type Decision =
  { readonly allowed: true; readonly reason?: string } | { readonly allowed: false; readonly reason: string };

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
  visible(user: User, attributes: KindAttributes): Visible;
  /** Namespaces in which the user may see more than in all of them; there may be others among them. */
  namespaces(user: User): Iterable<string>;
}
