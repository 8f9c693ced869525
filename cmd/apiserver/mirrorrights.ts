import { MirrorRights } from '../../pkg/authorization/standing/mirrorrights.js';
import { peopleCaches, peopleOf } from '../../pkg/authorization/standing/people.js';
import type { State } from './state.js';

/** On whose rights mirrors of SharedSecrets rest, for the controllers. */
export function mirrorRightsOf({
  storage,
  authorizer,
  identities,
  visibility,
  registry,
}: State): MirrorRights {
  return new MirrorRights({
    ...{ storage, authorizer, feed: visibility.rights },
    people: peopleOf(registry.cache, identities),
    others: peopleCaches(registry.cache),
  });
}
