/** A revision of everything that credentials and rights depend on. */
import { TOKEN_SECRET } from '../../../api/core/v1/secret.js';
import type { KubeObject } from '../../../api/resource.js';
import { CacheUnavailable, type Cache, type CacheEvent, type ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { sameJson } from '../../registry/object/metadata.js';

export interface AccessRevision {
  /**
   * Changes in the same turn of the event loop as the caches. Cheap enough for every response. NaN, which equals
   * nothing, while the caches are not current.
   */
  current(this: void): number;
  /** Announces a change that is not in the caches. */
  moved(this: void): void;
  /** Calls `listener` after every change, until it is cancelled. */
  onChange(this: void, listener: () => void): { cancel(): void };
}

/** Whether the change of an existing object may end a credential or a right. New objects only add rights. */
export type MayRevoke = (event: CacheEvent) => boolean;

export const anyChange: MayRevoke = ({ previous, deleted }) => deleted || previous !== undefined;
/** Tokens are bound to the identity of these objects. */
const whenDeleted: MayRevoke = ({ deleted }) => deleted;
/** Tokens are bound to the identity of Secrets, and end with the contents of those that hold them. */
const whenTokenEnds: MayRevoke = ({ deleted, previous }) =>
  deleted || previous?.bytes.includes(TOKEN_SECRET) === true;
/** Ignores the status, with the last activity of keys. */
export const whenSpecChanged: MayRevoke = (event) => {
  const { deleted, previous, entry } = event;
  if (deleted || previous === undefined) return deleted;
  return !sameJson(meaning(previous.object()), meaning(entry.object()));
};

function meaning(object: KubeObject): unknown {
  const { uid, deletionTimestamp, ownerReferences } = object.metadata;
  return { uid, deletionTimestamp, ownerReferences, spec: object.spec };
}

/** Objects that exist only to end credentials. */
export const whenCreated: MayRevoke = ({ previous, deleted }) => !deleted && previous === undefined;

const RBAC = 'rbac.authorization.k8s.io';

/** By the name of the resource in the cache. */
export type AccessResources = Readonly<Record<string, MayRevoke>>;

const WATCHED: AccessResources = {
  [`${RBAC}/roles`]: anyChange,
  [`${RBAC}/clusterroles`]: anyChange,
  [`${RBAC}/rolebindings`]: anyChange,
  [`${RBAC}/clusterrolebindings`]: anyChange,
  'core/serviceaccounts': whenDeleted,
  'core/secrets': whenTokenEnds,
};

/** Rights that do not come from roles. */
export interface FurtherRights {
  /** Begins to follow changes. Throws CacheUnavailable. */
  begin(): void;
  onChange(listener: (change: { readonly mayRevoke: boolean }) => void): void;
  /** Calls the listener when they are no longer current. */
  onLapse(listener: () => void): void;
}

/**
 * Watches the kinds above and `resources`, those that `cache` has: some may be stored elsewhere. `further`: rights that
 * do not come from roles; absent: there are none.
 */
export function watchAccess(
  cache: Pick<Cache, 'resource'>,
  resources: AccessResources = {},
  further?: FurtherRights,
): AccessRevision {
  const listeners = new Set<() => void>();
  let revision = 1;
  const moved = (): void => {
    revision += 1;
    for (const listener of listeners) listener();
  };
  /** Whether all of these caches are current: nearly always, and read several times a request. */
  let known = false;
  let lapses = 0;
  const lapsed = (): void => {
    known = false;
    lapses += 1;
  };
  const current = Object.entries({ ...WATCHED, ...resources }).flatMap(([name, takes]) => {
    const resource = served(cache, name);
    if (resource === undefined) return [];
    return [onChanges(resource, (events) => void (events.some(takes) && moved()), moved, lapsed)];
  });
  further?.onChange(({ mayRevoke }) => void (mayRevoke && moved()));
  further?.onLapse(lapsed);
  return {
    current() {
      if (known) return revision;
      const before = lapses;
      try {
        for (const ensure of current) ensure();
        further?.begin();
      } catch (error) {
        if (error instanceof CacheUnavailable) return NaN;
        throw error;
      }
      known = lapses === before;
      return revision;
    },
    moved,
    onChange(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return { cancel: () => void listeners.delete(own) };
    },
  };
}

function served(cache: Pick<Cache, 'resource'>, name: string): ResourceCache | undefined {
  try {
    return cache.resource(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
