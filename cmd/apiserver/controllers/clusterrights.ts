import { ClusterRights } from '../../../pkg/authorization/standing/clusterrights.js';
import { peopleCaches, peopleOf } from '../../../pkg/authorization/standing/people.js';
import { StandingRightsWatcher } from '../../../pkg/authorization/standing/standingrightswatcher.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import type { Served } from '../server/registries.js';

/** The rights to the kubeconfigs of Clusters, for all that connects to them. */
export function clusterRightsOf(
  storage: Pick<Storage, 'get' | 'commit'>,
  { authorizer, identities, visibility, registry: { cache } }: Served,
): ClusterRights {
  return new ClusterRights({
    ...{ storage, authorizer },
    watcher: new StandingRightsWatcher({ rights: visibility.rights, others: peopleCaches(cache) }),
    people: peopleOf(cache, identities),
  });
}
