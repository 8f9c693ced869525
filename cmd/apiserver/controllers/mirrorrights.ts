import { MirrorRights } from '../../../pkg/authorization/standing/mirrorrights.js';
import { peopleCaches, peopleOf } from '../../../pkg/authorization/standing/people.js';
import { StandingRightsWatcher } from '../../../pkg/authorization/standing/standingrightswatcher.js';
import type { State } from '../server/storagebacked.js';

/** The standing rights of mirrors of SharedSecrets, for the controllers. */
export function mirrorRightsOf({
  storage,
  authorizer,
  identities,
  visibility,
  registry,
}: State): MirrorRights {
  return new MirrorRights({
    ...{ storage, authorizer },
    watcher: new StandingRightsWatcher({ rights: visibility.rights, others: peopleCaches(registry.cache) }),
    people: peopleOf(registry.cache, identities),
  });
}
