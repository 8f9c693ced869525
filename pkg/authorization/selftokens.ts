import type { DirectClusterEndpointToken } from '../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { MANAGEMENT_AUTHENTICATED, teamGroup } from '../authentication/identities/identities.js';
import type { User } from '../authentication/interface.js';
import type { ResourceCache } from '../cache/interface.js';
import type { Authorizer, Decision, KindAttributes } from './interface.js';

/** The requests of a team's key are made by `management:team:<team>`. */
const TEAM = teamGroup('');
const DENIED: Decision = { allowed: false, reason: '' };
const ALLOWED: Decision = { allowed: true };
const OWN_VERBS: readonly string[] = ['get', 'delete'];

/** Users and teams may see the records of their tokens for connected clusters, and revoke these. */
export function selfTokensAuthorizer(tokens: ResourceCache<DirectClusterEndpointToken>): Authorizer {
  const owns = (user: User, name: string): boolean => {
    const record = name === '' ? undefined : tokens.latest().get(name)?.object();
    const { user: owner = '', team = '' } = record?.status ?? {};
    return (owner || (team === '' ? '' : teamGroup(team))) === user.name;
  };
  return {
    authorize(user, attributes) {
      if (attributes.kind !== 'resource' || !concerns(user, attributes)) return DENIED;
      return owns(user, attributes.name) ? ALLOWED : DENIED;
    },
    visible(user, attributes) {
      if (!concerns(user, attributes)) return { objects: 'none' };
      const all = tokens.latest();
      const [field, value] = user.name.startsWith(TEAM)
        ? (['status.team', user.name.slice(TEAM.length)] as const)
        : (['status.user', user.name] as const);
      const found = all.select({ by: 'field', name: field }, value) ?? all;
      const names = [...found.entries('')].map((entry) => entry.name).filter((name) => owns(user, name));
      return { objects: 'names', names: new Set(names) };
    },
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

function concerns(user: User, { verb, group, resource, subresource }: KindAttributes): boolean {
  if (group !== 'management.svc.example' || resource !== 'directclusterendpointtokens') return false;
  return OWN_VERBS.includes(verb) && subresource === '' && user.groups.includes(MANAGEMENT_AUTHENTICATED);
}
