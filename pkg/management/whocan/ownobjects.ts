/** Rights of users and teams on the objects of a kind that they hold: access keys, records of tokens. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { MANAGEMENT_AUTHENTICATED } from '../people/identities/identities.js';
import type { User } from '../../authentication/interface.js';
import type { ObjectIndex } from '../../cache/watch/objectindex.js';
import type { KindAttributes } from '../../authorization/interface.js';
import { groupStep, ownWay, userStep, type LocatingAuthorizer } from '../subjectlocator.js';

/**
 * Decides from an index, by object and by the user name of the holder: no request parses an object. `holders`: the verbs
 * of the holder of an object; `everybodys`: those of all users and teams.
 */
export function ownObjectsAuthorizer(
  { group, plural, subresources }: ResourceDefinition,
  index: ObjectIndex<string>,
  holders: readonly string[],
  everybodys: readonly string[] = [],
): LocatingAuthorizer {
  const hasSubresource = (wanted: string): boolean => subresources.some(({ name }) => name === wanted);
  const isOf = (verbs: readonly string[], asked: KindAttributes): boolean =>
    asked.group === group &&
    asked.resource === plural &&
    verbs.includes(asked.verb) &&
    (asked.subresource === '' || (asked.verb === 'get' && hasSubresource(asked.subresource)));
  const isKnown = (user: User): boolean => user.groups.includes(MANAGEMENT_AUTHENTICATED);
  return {
    authorize(user, asked) {
      if (asked.kind !== 'resource' || !isKnown(user)) return { allowed: false, reason: '' };
      const isOwn = isOf(holders, asked) && asked.name !== '' && index.get(asked.name) === user.name;
      return isOwn || isOf(everybodys, asked) ? { allowed: true } : { allowed: false, reason: '' };
    },
    visible(user, asked) {
      if (!isOf(holders, asked) || !isKnown(user)) return { objects: 'none' };
      return { objects: 'names', names: new Set(index.paths(user.name)) };
    },
    allowedSubjects(asked, readable) {
      if (isOf(everybodys, asked)) return [ownWay(groupStep(MANAGEMENT_AUTHENTICATED), plural, everybodys)];
      // What the caller may get in a namespace is no such object: these kinds lie in none.
      const isRead = readable.has('object') && asked.namespace === '';
      const name = isRead && isOf(holders, asked) ? index.get(asked.name) : undefined;
      return name ? [ownWay(userStep(name), plural, holders)] : [];
    },
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}
