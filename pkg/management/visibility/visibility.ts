/** Visibility filters for kinds whose lists depend on the caller. */
import type { User } from '../../authentication/interface.js';
import type { LiveView, Reading, Visibility } from '../../authorization/visibility.js';
import { resourceName } from '../../registry/keys.js';
import { rolesUnavailable } from '../../registry/generic/storeunavailable.js';
import { EVERYTHING, type VisibilityFilter } from '../../registry/visibilityfilter.js';
import { alwaysSeesAll, type RightsChanges } from './rightschanges.js';
import type { RightsHistory } from './rightshistory.js';
import type { RoleFreshness } from './rolefreshness.js';
import { NOTHING_SEEN, narrowed, filterOf, type Collection, type VisibilityAuthorizer } from './filter.js';

/** Visibility by rights whose changes are known. */
export interface RightsVisibility extends Visibility {
  /** Notifies of users whose rights may have changed. */
  readonly rights: RightsChanges;
}

const GROUP = 'management.svc.example';

/** Past rights by roles, and by the objects themselves. */
export interface RightsHistories {
  readonly roles: RightsHistory;
  readonly objects: RightsHistory;
}

function collectionOf({ definition, namespace }: Reading): Collection {
  const { group, plural: resource, namespaced } = definition;
  return { group, resource, namespaced, namespace };
}

/** `roles`: absent if they are in this server's own store. */
export function createVisibility(
  authorizer: VisibilityAuthorizer,
  feed: RightsChanges,
  histories: RightsHistories,
  roles?: Pick<RoleFreshness, 'isSo' | 'onLost'>,
): RightsVisibility {
  const known = (): boolean => roles?.isSo() !== false;

  function filterFor(user: User, reading: Reading): VisibilityFilter | 'all' | 'nothing' {
    const { verb } = reading;
    const collection = collectionOf(reading);
    if (verb !== 'deletecollection')
      return filterOf(authorizer, user, collection, { wide: verb, narrow: 'get' });
    const seen = filterOf(authorizer, user, collection, { wide: 'list', narrow: 'get' });
    const may = filterOf(authorizer, user, collection, { wide: verb, narrow: 'delete' });
    if (seen === 'nothing' || may === 'nothing') return 'nothing';
    return may === 'all' ? seen : narrowed(seen, may);
  }

  function viewOf(user: User, reading: Reading): LiveView {
    const { definition, objects, namespace } = reading;
    return {
      current() {
        const visible = filterFor(user, reading);
        if (visible === 'all') return EVERYTHING;
        return { filter: visible === 'nothing' ? NOTHING_SEEN : visible };
      },
      unchangedSince(revision) {
        const collection = collectionOf(reading);
        if (!histories.roles.unchangedSince(user, collection, objects, revision)) return false;
        // Only roles show a user everything.
        if (filterFor(user, reading) === 'all') return true;
        return histories.objects.unchangedSince(user, collection, objects, revision);
      },
      follow(changed) {
        const rights = feed.follow(user, { namespace, resource: resourceName(definition) }, changed);
        if (roles === undefined) return rights;
        const lost = roles.onLost(() => changed('identity'));
        return {
          cancel() {
            rights.cancel();
            lost.cancel();
          },
        };
      },
    };
  }

  return {
    rights: feed,
    applies: ({ group }) => group === GROUP,
    view(user, reading) {
      if (!known()) throw rolesUnavailable(reading.definition);
      return filterFor(user, reading) === 'nothing' ? undefined : viewOf(user, reading);
    },
    wideView(user, reading) {
      if (alwaysSeesAll(user)) return EVERYTHING;
      if (!known() && (reading.verb === 'watch' || filterFor(user, reading) !== 'all'))
        throw rolesUnavailable(reading.definition);
      return { filter: viewOf(user, reading) };
    },
  };
}
