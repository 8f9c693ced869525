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

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface Authorizer {
  /** `reason` may be empty; it is shown to the client. */
  authorize(user: User, attributes: Attributes): Decision | Promise<Decision>;
}
