import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind } from '../../../api/resource.js';
import type { ResourceCache } from '../../cache/interface.js';
import { objectIndex } from '../../cache/watch/objectindex.js';
import { keyHolder } from './owner.js';
import { ownObjectsAuthorizer } from '../whocan/ownobjects.js';
import type { LocatingAuthorizer } from '../subjectlocator.js';

/**
 * Allows users, teams and subjects of keys to create access keys, and to read and change their own. Admission checks
 * the owner of a new key.
 */
export function selfKeysAuthorizer(keys: ResourceCache<OwnedAccessKey>): LocatingAuthorizer {
  const index = objectIndex([keys], (object) => {
    const holder = keyHolder(asKind(OwnedAccessKey, object));
    return { keys: [holder], value: holder };
  });
  return ownObjectsAuthorizer(OwnedAccessKey, index, ['get', 'update', 'patch', 'delete'], ['create']);
}
