/** Which objects of a kind lists and watches show to a caller, where that is not all or none. */
import type { ResourceDefinition } from '../../api/resource.js';
import type { User } from '../apimachinery/user.js';
import type { ResourceCache } from '../cache/interface.js';
import { EVERYTHING, type Shown, type View } from '../registry/visibilityfilter.js';

/** A kind, or one namespace of it. */
export interface Reading {
  readonly definition: ResourceDefinition;
  readonly objects: ResourceCache;
  /** `''`: all namespaces, or the cluster scope. */
  readonly namespace: string;
  readonly verb: 'list' | 'watch' | 'deletecollection';
}

/** `rights`: the user may do more or less than before; `identity`: it may be another user now, or in other groups. */
export type ChangeOf = 'rights' | 'identity';

/** A visibility filter that notifies when it may have changed. */
export interface LiveView extends View {
  follow(changed: (what: ChangeOf) => void): { cancel(): void };
}

export interface Visibility {
  /** Whether lists of the kind depend on the caller. */
  applies(definition: ResourceDefinition): boolean;
  /**
   * Undefined: the user may read nothing of it (or delete, for a deletecollection). Throws StatusError 503 while roles
   * are not followed.
   */
  view(user: User, reading: Reading): LiveView | undefined;
  /**
   * The filter of a user who may list or watch everything; all: it cannot change. While roles are stale, throws
   * StatusError 503 for roles that restrict, and for watches, which must end when a right is revoked.
   */
  wideView(user: User, reading: Reading): Shown<LiveView>;
}

/**
 * Of a server whose lists show everything to those who may list.
 * @public
 */
export const SHOWS_ALL: Visibility = {
  applies: () => false,
  view: () => undefined,
  wideView: () => EVERYTHING,
};
