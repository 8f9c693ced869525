import { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { asKind } from '../../../api/resource.js';
import type { ResourceCache } from '../../cache/interface.js';
import { objectIndex } from '../../cache/watch/objectindex.js';
import { ownObjectsAuthorizer } from '../whocan/ownobjects.js';
import type { LocatingAuthorizer } from '../subjectlocator.js';
import { tokenHolder } from './record.js';

/** Users and teams may see the records of their tokens for connected clusters, and revoke these. */
export function selfTokensAuthorizer(tokens: ResourceCache<DirectClusterEndpointToken>): LocatingAuthorizer {
  const index = objectIndex([tokens], (object) => {
    const holder = tokenHolder(asKind(DirectClusterEndpointToken, object));
    return { keys: [holder], value: holder };
  });
  return ownObjectsAuthorizer(DirectClusterEndpointToken, index, ['get', 'delete']);
}
