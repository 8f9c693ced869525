/** Adds the keys of projects to the history of rights: whose they are to see follows from the rights on the project. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import { asKind } from '../../../api/resource.js';
import type { User } from '../../authentication/interface.js';
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import { resourceName } from '../../registry/keys.js';
import { decideByObject } from '../sharing/objectrights/decide.js';
import type { ObjectRightsAuthorizer } from '../sharing/objectrights/authorizer.js';
import type { Rights } from '../sharing/objectrights/kindindex.js';
import { eventsAfter } from './eventsafter.js';
import type { RightsHistory } from './rightshistory.js';

/** `find`: the index of a kind. */
export function withProjectKeys(
  history: RightsHistory,
  find: ObjectRightsAuthorizer['index'],
  projects: ResourceCache<Project>,
): RightsHistory {
  return {
    unchangedSince(user, collection, objects, revision) {
      if (!history.unchangedSince(user, collection, objects, revision)) return false;
      const index = find(resourceName(Project));
      if (collection.resource !== OwnedAccessKey.plural || index === undefined) return true;
      const changes = eventsAfter(projects, revision, '');
      const keys = eventsAfter(objects, revision, '');
      if (changes === undefined || keys === undefined) return false;
      const mayChange = (rights: Rights): boolean => manages(user, rights);
      return (
        changes.every(
          ({ entry, previous, deleted }) =>
            previous === undefined ||
            mayChange(index.at(previous)) === (!deleted && mayChange(index.at(entry))),
        ) && keys.every((event) => !event.deleted || !mayChange(index.of(projectOf(event))))
      );
    },
  };
}

const manages = (user: User, rights: Rights): boolean =>
  decideByObject(rights, user, { verb: 'update', subresource: '' }).allowed;

/** The project of a deleted key; `''`: none. */
const projectOf = ({ entry, previous }: CacheEvent): string =>
  asKind(OwnedAccessKey, (previous ?? entry).object()).spec?.project ?? '';
