/** Counts the changes that may have ended a credential or taken a right from somebody. */
import type { KubeObject } from '../../../api/resource.js';
import type { ObjectRightsAuthorizer } from '../../authorization/objectrights/authorizer.js';
import type { Cache, CacheEvent, ResourceCache } from '../../cache/interface.js';
import { CacheUnavailable } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { KEY_RECORDS } from '../../registry/management/ownedaccesskey/keyrecord.js';
import { sameJson } from '../../registry/object/metadata.js';

export interface AccessRevision {
  /**
   * Moves in the turn of the loop in which a change comes in. Cheap enough for every answer. NaN, which equals nothing,
   * while that is not known.
   */
  current(this: void): number;
  /** For what is not in the caches. */
  moved(this: void): void;
  /** Calls `listener` after every move, until it is cancelled. */
  onMoved(this: void, listener: () => void): { cancel(): void };
}

/** Whether a change of an object that was there may take something. What is new gives, and takes nothing. */
type Takes = (event: CacheEvent) => boolean;

const anyChange: Takes = ({ previous, deleted }) => deleted || previous !== undefined;
/** Tokens are bound to the identity of these objects, not to what they say. */
const whenDeleted: Takes = ({ deleted }) => deleted;
/** Not by a status, nor by the last activity that keys tell of. */
const whenSaidOtherwise: Takes = (event) => {
  const { deleted, previous, entry } = event;
  if (deleted || previous === undefined) return deleted;
  return !sameJson(meaning(previous.object()), meaning(entry.object()));
};

function meaning(object: KubeObject): unknown {
  const { uid, deletionTimestamp, ownerReferences } = object.metadata;
  return { uid, deletionTimestamp, ownerReferences, spec: object.spec };
}

const RBAC = 'rbac.authorization.k8s.io';
const MANAGEMENT = 'management.svc.example';

const RESTS_ON: Readonly<Record<string, Takes>> = {
  [`${RBAC}/roles`]: anyChange,
  [`${RBAC}/clusterroles`]: anyChange,
  [`${RBAC}/rolebindings`]: anyChange,
  [`${RBAC}/clusterrolebindings`]: anyChange,
  [`${MANAGEMENT}/users`]: whenSaidOtherwise,
  [`${MANAGEMENT}/teams`]: whenSaidOtherwise,
  [`${MANAGEMENT}/ownedaccesskeys`]: whenSaidOtherwise,
  [`${MANAGEMENT}/projects`]: whenSaidOtherwise,
  [KEY_RECORDS.resource]: anyChange,
  'core/serviceaccounts': whenDeleted,
  'core/secrets': whenDeleted,
};

/** Of the kinds above those that `cache` has; behind a host some are not there. `objects`: rights that are judged from objects. */
export function followAccess(
  cache: Pick<Cache, 'resource'>,
  objects: Pick<ObjectRightsAuthorizer, 'begin' | 'onChange' | 'onLapse'>,
): AccessRevision {
  const listeners = new Set<() => void>();
  let revision = 1;
  const moved = (): void => {
    revision += 1;
    for (const listener of listeners) listener();
  };
  /** Whether all of these caches tell of their changes: nearly always, and asked for several times a request. */
  let told = false;
  let lapses = 0;
  const lapsed = (): void => {
    told = false;
    lapses += 1;
  };
  const current = Object.entries(RESTS_ON).flatMap(([name, takes]) => {
    const resource = served(cache, name);
    if (resource === undefined) return [];
    return [onChanges(resource, (events) => void (events.some(takes) && moved()), moved, lapsed)];
  });
  objects.onChange(({ takes }) => void (takes && moved()));
  objects.onLapse(lapsed);
  return {
    current() {
      if (told) return revision;
      const before = lapses;
      try {
        for (const ensure of current) ensure();
        objects.begin();
      } catch (error) {
        if (error instanceof CacheUnavailable) return NaN;
        throw error;
      }
      told = lapses === before;
      return revision;
    },
    moved,
    onMoved(listener) {
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
