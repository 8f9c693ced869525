import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind } from '../../../api/resource.js';
import type { ResourceCache } from '../../cache/interface.js';
import { objectIndex } from '../../cache/watch/objectindex.js';
import { keyHolder } from './owner.js';
import { ownObjectsAuthorizer } from '../whocan/ownobjects.js';
import type { LocatingAuthorizer } from '../subjectlocator.js';

/**
 * Allows users, teams and subjects of keys to create access keys, and to read and change their own. Admission checks
 * the owner of a new key. Keys of projects may do nothing with keys.
 */
export function selfKeysAuthorizer(keys: ResourceCache<OwnedAccessKey>): LocatingAuthorizer {
  const index = objectIndex([keys], (object) => {
    const key = asKind(OwnedAccessKey, object);
    const holder = keyHolder(key);
    return key.spec?.project ? undefined : { keys: [holder], value: holder };
  });
  return ownObjectsAuthorizer(OwnedAccessKey, index, ['get', 'update', 'patch', 'delete'], ['create']);
}
