import type { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { MANAGEMENT_AUTHENTICATED, teamGroup } from '../authentication/identities/identities.js';
import type { User } from '../authentication/interface.js';
import type { ResourceCache } from '../cache/interface.js';
import type { Authorizer, Decision, ResourceAttributes } from './interface.js';

/** The requests of a team's key are made by `management:team:<team>`. */
const TEAM = teamGroup('');
const DENIED: Decision = { allowed: false, reason: '' };
const ALLOWED: Decision = { allowed: true };
const OWN_VERBS: readonly string[] = ['get', 'update', 'patch', 'delete'];

/**
 * Allows users, teams and subjects of keys to create access keys, and to read and change their own. Admission checks
 * the owner of a new key.
 */
export function selfKeysAuthorizer(keys: ResourceCache<OwnedAccessKey>): Authorizer {
  const owns = (user: User, name: string): boolean => {
    const key = name === '' ? undefined : keys.latest().get(name)?.object();
    const { user: owner = '', team = '', subject = '' } = key?.spec ?? {};
    return (owner || (team === '' ? subject : teamGroup(team))) === user.name;
  };
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
      const all = keys.latest();
      const found = (field: string, value: string): string[] =>
        [...(all.select({ by: 'field', name: `spec.${field}` }, value) ?? all).entries('')]
          .map((entry) => entry.name)
          .filter((name) => owns(user, name));
      const own = user.name.startsWith(TEAM)
        ? found('team', user.name.slice(TEAM.length))
        : [...found('user', user.name), ...found('subject', user.name)];
      return { objects: 'names', names: new Set(own) };
    },
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

const isKeys = ({ group, resource }: Pick<ResourceAttributes, 'group' | 'resource'>): boolean =>
  group === 'management.svc.example' && resource === 'ownedaccesskeys';
