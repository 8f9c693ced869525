import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { MANAGEMENT_AUTHENTICATED } from '../people/identities/identities.js';
import type { User } from '../../authentication/interface.js';
import { asKind } from '../../../api/resource.js';
import type { ResourceCache } from '../../cache/interface.js';
import { objectIndex } from '../../cache/watch/objectindex.js';
import { keyHolder } from '../limits/table.js';
import type { Authorizer, Decision, ResourceAttributes } from '../../authorization/interface.js';

const DENIED: Decision = { allowed: false, reason: '' };
const ALLOWED: Decision = { allowed: true };
const OWN_VERBS: readonly string[] = ['get', 'update', 'patch', 'delete'];

/**
 * Allows users, teams and subjects of keys to create access keys, and to read and change their own. Admission checks
 * the owner of a new key. Decides from an index: no request parses a key.
 */
export function selfKeysAuthorizer(keys: ResourceCache<OwnedAccessKey>): Authorizer {
  const index = objectIndex([keys], (object) => {
    const holder = keyHolder(asKind(OwnedAccessKey, object));
    return { keys: [holder], value: holder };
  });
  const owns = (user: User, name: string): boolean => name !== '' && index.get(name) === user.name;
  return {
    authorize(user, attributes) {
      if (attributes.kind !== 'resource' || !isKeys(attributes)) return DENIED;
      if (!user.groups.includes(MANAGEMENT_AUTHENTICATED)) return DENIED;
      const { verb, subresource, name } = attributes;
      if (verb === 'create') return subresource === '' ? ALLOWED : DENIED;
      const may = OWN_VERBS.includes(verb) && (subresource === '' || verb === 'get');
      return may && owns(user, name) ? ALLOWED : DENIED;
    },
    visible(user, attributes) {
      const may = OWN_VERBS.includes(attributes.verb) && attributes.subresource === '';
      if (!may || !isKeys(attributes) || !user.groups.includes(MANAGEMENT_AUTHENTICATED))
        return { objects: 'none' };
      return { objects: 'names', names: new Set(index.paths(user.name)) };
    },
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

const isKeys = ({ group, resource }: Pick<ResourceAttributes, 'group' | 'resource'>): boolean =>
  group === 'management.svc.example' && resource === 'ownedaccesskeys';
