/** Decides from the changes since then whether a user had the same rights on objects at a past revision. */
import type { Entry } from '../../cache/interface.js';
import { eventsAfter } from './eventsafter.js';
import type { RightsHistory } from './rightshistory.js';
import type { ObjectRightsAuthorizer } from '../sharing/objectrights/authorizer.js';
import { decideByObject } from '../sharing/objectrights/decide.js';

const VERBS = ['get', 'list', 'watch'] as const;

/**
 * `unchangedSince`: false if an object of that time has become visible or hidden, or a visible one was deleted; if a
 * visible object has the name of one that was hidden, or was itself hidden at first; and if the changes are no longer
 * known. Rights on newer objects are otherwise ignored.
 */
export function objectRightsHistory(find: ObjectRightsAuthorizer['index']): RightsHistory {
  return {
    unchangedSince(user, { group, resource, namespace }, objects, revision) {
      const index = find(`${group}/${resource}`);
      if (index === undefined || revision >= objects.revision()) return true;
      const then = objects.at(revision);
      const events = eventsAfter(objects, revision, namespace === '' ? '' : `${namespace}/`);
      if (then === undefined || events === undefined) return false;
      const mayRead = (entry: Entry): boolean => {
        const rights = index.at(entry);
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
