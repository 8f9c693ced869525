import { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { MANAGEMENT_AUTHENTICATED, teamGroup } from '../people/identities/identities.js';
import type { User } from '../../authentication/interface.js';
import { asKind } from '../../../api/resource.js';
import type { ResourceCache } from '../../cache/interface.js';
import { objectIndex } from '../../cache/watch/objectindex.js';
import type { Authorizer, Decision, KindAttributes } from '../../authorization/interface.js';

const DENIED: Decision = { allowed: false, reason: '' };
const ALLOWED: Decision = { allowed: true };
const OWN_VERBS: readonly string[] = ['get', 'delete'];

/** Users and teams may see the records of their tokens for connected clusters, and revoke these. Decides from an index. */
export function selfTokensAuthorizer(tokens: ResourceCache<DirectClusterEndpointToken>): Authorizer {
  const index = objectIndex([tokens], (object) => {
    const { user = '', team = '' } = asKind(DirectClusterEndpointToken, object).status ?? {};
    const holder = user || (team === '' ? '' : teamGroup(team));
    return { keys: [holder], value: holder };
  });
  const owns = (user: User, name: string): boolean => name !== '' && index.get(name) === user.name;
  return {
    authorize(user, attributes) {
      if (attributes.kind !== 'resource' || !concerns(user, attributes)) return DENIED;
      return owns(user, attributes.name) ? ALLOWED : DENIED;
    },
    visible(user, attributes) {
      if (!concerns(user, attributes)) return { objects: 'none' };
      return { objects: 'names', names: new Set(index.paths(user.name)) };
    },
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

function concerns(user: User, { verb, group, resource, subresource }: KindAttributes): boolean {
  if (group !== 'management.svc.example' || resource !== 'directclusterendpointtokens') return false;
  return OWN_VERBS.includes(verb) && subresource === '' && user.groups.includes(MANAGEMENT_AUTHENTICATED);
}
