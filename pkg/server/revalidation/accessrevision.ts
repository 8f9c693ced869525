/** A revision of everything that credentials and rights depend on. */
import type { KubeObject } from '../../../api/resource.js';
import type { ObjectRightsAuthorizer } from '../../management/sharing/objectrights/authorizer.js';
import { CacheUnavailable, type Cache, type CacheEvent, type ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { KEY_RECORDS } from '../../management/accesskeys/keyrecord.js';
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
type MayRevoke = (event: CacheEvent) => boolean;

const anyChange: MayRevoke = ({ previous, deleted }) => deleted || previous !== undefined;
/** Tokens are bound to the identity of these objects, not to their contents. */
const whenDeleted: MayRevoke = ({ deleted }) => deleted;
/** Ignores the status, with the last activity of keys. */
const whenSpecChanged: MayRevoke = (event) => {
  const { deleted, previous, entry } = event;
  if (deleted || previous === undefined) return deleted;
  return !sameJson(meaning(previous.object()), meaning(entry.object()));
};

function meaning(object: KubeObject): unknown {
  const { uid, deletionTimestamp, ownerReferences } = object.metadata;
  return { uid, deletionTimestamp, ownerReferences, spec: object.spec };
}

/** Objects that exist only to end credentials. */
const whenCreated: MayRevoke = ({ previous, deleted }) => !deleted && previous === undefined;

const RBAC = 'rbac.authorization.k8s.io';
const MANAGEMENT = 'management.svc.example';

const WATCHED: Readonly<Record<string, MayRevoke>> = {
  [`${RBAC}/roles`]: anyChange,
  [`${RBAC}/clusterroles`]: anyChange,
  [`${RBAC}/rolebindings`]: anyChange,
  [`${RBAC}/clusterrolebindings`]: anyChange,
  [`${MANAGEMENT}/users`]: whenSpecChanged,
  [`${MANAGEMENT}/teams`]: whenSpecChanged,
  [`${MANAGEMENT}/ownedaccesskeys`]: whenSpecChanged,
  [`${MANAGEMENT}/projects`]: whenSpecChanged,
  [`${MANAGEMENT}/directclusterendpointtokenrevocations`]: whenCreated,
  [KEY_RECORDS.resource]: anyChange,
  'core/serviceaccounts': whenDeleted,
  'core/secrets': whenDeleted,
};

/**
 * Watches the kinds above that `cache` has; in aggregated mode some are at the host. `objects`: rights by ownership
 * and access rules.
 */
export function watchAccess(
  cache: Pick<Cache, 'resource'>,
  objects: Pick<ObjectRightsAuthorizer, 'begin' | 'onChange' | 'onLapse'>,
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
  const current = Object.entries(WATCHED).flatMap(([name, takes]) => {
    const resource = served(cache, name);
    if (resource === undefined) return [];
    return [onChanges(resource, (events) => void (events.some(takes) && moved()), moved, lapsed)];
  });
  objects.onChange(({ mayRevoke }) => void (mayRevoke && moved()));
  objects.onLapse(lapsed);
  return {
    current() {
      if (known) return revision;
      const before = lapses;
      try {
        for (const ensure of current) ensure();
        objects.begin();
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
