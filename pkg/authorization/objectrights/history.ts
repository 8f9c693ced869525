/** Whether a user had the same rights by the objects at a past revision, told from how these have changed since. */
import { rightsOf } from '../../management/access/rights.js';
import type { Entry } from '../../cache/interface.js';
import { eventsAfter } from '../visibility/eventsafter.js';
import type { RightsHistory } from '../visibility/rightshistory.js';
import type { ObjectRightsAuthorizer } from './authorizer.js';
import { decideByObject } from './decide.js';

const VERBS = ['get', 'list', 'watch'] as const;

/**
 * `heldSince`: false where an object that was there then has begun or ceased to be one that the user may read, or is gone
 * that was; where one that the user may read took the name of one that they might not, or was not theirs to read at first;
 * and where that cannot be told any more. Rights on what did not exist then count for nothing else.
 */
export function objectRightsHistory(find: ObjectRightsAuthorizer['index']): RightsHistory {
  return {
    heldSince(user, { group, resource, namespace }, objects, revision) {
      const index = find(`${group}/${resource}`);
      if (index === undefined || revision >= objects.revision()) return true;
      const then = objects.at(revision);
      const events = eventsAfter(objects, revision, namespace === '' ? '' : `${namespace}/`);
      if (then === undefined || events === undefined) return false;
      const mayRead = (entry: Entry): boolean => {
        const rights = rightsOf(index.definition, entry.object());
        return VERBS.some((verb) => decideByObject(rights, user, { verb, subresource: '' }).allowed);
      };
      const unread = new Set<string>();
      return events.every(({ entry, previous, deleted }) => {
        const { path } = entry;
        const reads = !deleted && mayRead(entry);
        if (then.get(path) !== undefined) return (previous !== undefined && mayRead(previous)) === reads;
        if (!deleted && !reads) unread.add(path);
        return !reads || !unread.has(path);
      });
    },
  };
}
