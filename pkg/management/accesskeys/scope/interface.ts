import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import type { User } from '../../../apimachinery/user.js';
import type { Attributes } from '../../../authorization/interface.js';

export type { Scope };

/** The scope of the credential of a user; undefined: no restriction. */
export const scopeOf = ({ scope }: Pick<User, 'scope'>): Scope | undefined =>
  // The authenticators of keys and tokens alone set it, from a scope that was validated.
  scope as Scope | undefined;

/** The target of a request: this server, or a cluster behind it. */
export type Target =
  | { readonly target: 'Management' }
  | { readonly target: 'Cluster'; readonly cluster: string }
  | {
      readonly target: 'ProjectSpace';
      readonly cluster: string;
      readonly project: string;
      readonly space: string;
    }
  | {
      readonly target: 'ProjectVirtualCluster';
      readonly cluster: string;
      readonly project: string;
      readonly virtualCluster: string;
    }
  | {
      readonly target: 'VirtualCluster';
      readonly cluster: string;
      readonly namespace: string;
      readonly name: string;
    };

/** A request, as a scope looks at it. */
export interface ScopedRequest {
  readonly to: Target;
  readonly attributes: Attributes;
  /** The user of the request. */
  readonly caller: { readonly name: string; readonly teams: readonly string[] };
}

/** Set for the whole server. */
export interface ScopeSettings {
  /** The prefix of project namespaces. */
  readonly projectNamespacePrefix: string;
}
