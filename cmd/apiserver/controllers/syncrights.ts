import { peopleCaches, peopleOf } from '../../../pkg/authorization/standing/people.js';
import { StandingRightsWatcher } from '../../../pkg/authorization/standing/standingrightswatcher.js';
import { SyncRights } from '../../../pkg/authorization/standing/syncrights.js';
import type { State } from '../server/storagebacked.js';

/** The standing rights to secrets in connected clusters, for the controllers. */
export function syncRightsOf({ identities, visibility, registry }: State): SyncRights {
  return new SyncRights({
    watcher: new StandingRightsWatcher({ rights: visibility.rights, others: peopleCaches(registry.cache) }),
    people: peopleOf(registry.cache, identities),
  });
}
