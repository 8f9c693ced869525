import { MANAGEMENT_AUTHENTICATED, teamGroup } from './identities/identities.js';
import type { User } from '../../authentication/interface.js';
import type { ResourceRule } from '../../apimachinery/attributes.js';
import type { Decision, KindAttributes } from '../../authorization/interface.js';
import { groupStep, ownWay, userStep, type LocatingAuthorizer } from '../subjectlocator.js';
import { teamsIn } from '../sharing/rights.js';

const GROUP = 'management.svc.example';
const TEAM = teamGroup('');
const DENIED: Decision = { allowed: false, reason: '' };
const ALLOWED: Decision = { allowed: true };

/** Users may get their own User, and the Teams that they are in. */
export function selfIdentityAuthorizer(): LocatingAuthorizer {
  return {
    authorize(user, attributes) {
      if (attributes.kind !== 'resource' || attributes.name === '') return DENIED;
      return namesOf(user, attributes).includes(attributes.name) ? ALLOWED : DENIED;
    },
    visible(user, attributes) {
      const names = namesOf(user, attributes);
      return names.length === 0 ? { objects: 'none' } : { objects: 'names', names: new Set(names) };
    },
    allowedSubjects(asked) {
      const { resource, name } = asked;
      const names = namesOf({ name, groups: [MANAGEMENT_AUTHENTICATED, TEAM + name] }, asked);
      const who = resource === 'users' ? userStep(name) : groupStep(TEAM + name);
      return name !== '' && names.includes(name) ? [ownWay(who, resource, ['get'])] : [];
    },
    namespaces: () => [],
    rulesFor(user) {
      const resourceRules = ['users', 'teams'].flatMap((resource): ResourceRule[] => {
        const asked = { verb: 'get', group: GROUP, resource, subresource: '', namespace: '' };
        const resourceNames = namesOf(user, asked);
        if (resourceNames.length === 0) return [];
        return [{ verbs: ['get'], apiGroups: [GROUP], resources: [resource], resourceNames }];
      });
      return { resourceRules, nonResourceRules: [], incomplete: false };
    },
  };
}

function namesOf(user: Pick<User, 'name' | 'groups'>, asked: KindAttributes): readonly string[] {
  const { verb, group, resource, subresource } = asked;
  if (group !== GROUP || verb !== 'get' || subresource !== '') return [];
  if (!user.groups.includes(MANAGEMENT_AUTHENTICATED)) return [];
  if (resource === 'users') return user.name.startsWith(TEAM) ? [] : [user.name];
  if (resource !== 'teams') return [];
  return teamsIn(user.groups);
}
